import type { Revision } from 'tenon/client';
import { mirroredParams, type MirroredParam, paramHeaders, standardHeaders } from 'tenon/internal';
import { factsOf } from '../trace/facts.ts';
import { claimIn } from './conversation.ts';

/** A tool as a server lists it. */
export interface ListedTool {
  readonly name?: unknown;
  readonly inputSchema?: unknown;
}

export type Fields = Readonly<Record<string, string>>;

/** The arguments of each tool that are mirrored in headers. */
function mirrorsOf(tools: readonly ListedTool[]): ReadonlyMap<unknown, readonly MirroredParam[]> {
  return new Map(
    tools.flatMap(({ name, inputSchema }) => {
      if (typeof inputSchema !== 'object' || inputSchema === null) return [];
      const found = mirroredParams(inputSchema as Parameters<typeof mirroredParams>[0]);
      return 'problem' in found || found.length === 0 ? [] : [[name, found]];
    }),
  );
}

/** Returns a function for the mirrored headers of a message. `revision`: the negotiated revision of a legacy session. */
export function messageFields(revision: string | undefined, tools: readonly ListedTool[]): (text: string) => Fields {
  const mirrors = mirrorsOf(tools);
  return (text) => {
    const { message } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
    // Text that is not a message is sent unchanged as well.
    if (message === 'invalid' || message === 'batch') return {};
    const claimed = claimIn(text);
    const value = JSON.parse(text) as Parameters<typeof standardHeaders>[0] & object;
    const own = (claimed ?? revision) as Revision | undefined;
    const fields = own === undefined ? {} : standardHeaders(value, own);
    const { name, arguments: args } = (value.params ?? {}) as { name?: unknown; arguments?: never };
    const mirrored = claimed === undefined || value.method !== 'tools/call' ? undefined : mirrors.get(name);
    return mirrored === undefined ? fields : { ...fields, ...paramHeaders(mirrored, args) };
  };
}
