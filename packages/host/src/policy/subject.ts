import type { ToolEntry } from 'tenon/client';

/** The declarations of a server about a tool, such as `readOnlyHint`. */
export type ToolAnnotations = NonNullable<ToolEntry['annotations']>;

/** The kinds of actions on a server. Each of them needs a decision. */
export type Act = 'start' | 'call' | 'read' | 'prompt' | 'sample';

/** The action that a policy decision is about. */
export interface Subject {
  readonly act: Act;
  /** The alias. */
  readonly server: string;
  readonly trusted: boolean;
  /** The server's own name for the tool. */
  readonly tool?: string;
  /** The name of the tool that people and models see. */
  readonly qualified?: string;
  readonly uri?: string;
  readonly annotations?: ToolAnnotations;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /**
   * The data that a longer decision is bound to, such as the fingerprint of a command or the pin of a tool. If it changes, the person is
   * asked again.
   */
  readonly exactly: string;
}

/** The server that a decision is about, as it was started. */
export interface ServerIdentity {
  /** The alias. */
  readonly server: string;
  readonly trusted: boolean;
  /** The digest of the launch. Undefined if nothing was started. */
  readonly launch: string | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/** A decision is bound to this server as it was started, and to what was shown. */
function boundTo({ launch = '' }: ServerIdentity, shown: string): string {
  return `${launch} ${shown}`;
}

/** The subject of a tool call. `pin`: the pin of the tool as it was shown. */
export function callSubject(
  identity: ServerIdentity,
  { name: qualified, entry: { name, annotations } }: { readonly name: string; readonly entry: ToolEntry },
  pin: string,
  args: Arguments,
): Subject {
  return {
    act: 'call',
    server: identity.server,
    trusted: identity.trusted,
    tool: name,
    qualified,
    arguments: args,
    exactly: boundTo(identity, pin),
    annotations,
  };
}

export function readSubject(identity: ServerIdentity, uri: string): Subject {
  return {
    act: 'read',
    server: identity.server,
    trusted: identity.trusted,
    uri,
    exactly: boundTo(identity, uri),
  };
}

/** `name`: the server's own name for the prompt. */
export function promptSubject(identity: ServerIdentity, name: string, args: Arguments = {}): Subject {
  return {
    act: 'prompt',
    server: identity.server,
    trusted: identity.trusted,
    arguments: args,
    exactly: boundTo(identity, name),
  };
}
