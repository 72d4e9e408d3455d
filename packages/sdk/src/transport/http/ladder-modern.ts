import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { ErrorObject, JsonObject } from '../../protocol/jsonrpc.ts';
import { shown } from '../../protocol/text.ts';
import { hasClaim, unsupportedVersion } from '../../wire/claim.ts';
import { checkStandardHeaders, type HeaderLookup } from '../../wire/headers.ts';
import { checkParamHeaders, type MirroredParam } from '../../wire/param-headers.ts';
import type { ModernPost } from './facts.ts';
import type { Objection, Rung } from './ladder-rung.ts';

const bad = (error: ErrorObject | ProtocolError): Objection => ({
  status: 400,
  ...(error instanceof ProtocolError ? error.toJSON() : error),
});
const mismatch = (message: string | undefined): Objection | undefined =>
  message === undefined ? undefined : bad({ code: CODE.headerMismatch, message });

/** A message of the modern era: what its headers and its metadata have to say, and agree on. */
export const MODERN: readonly Rung<ModernPost>[] = [
  {
    rank: '8m',
    name: 'initialize where there is none',
    answers: [[400, CODE.unsupportedVersion]],
    // Whatever else is wrong with it: the way on are the versions there are.
    check({ message: { method, params }, asks }, { spoken }) {
      if (!asks || method !== 'initialize' || spoken.legacy.length > 0 || hasClaim(params)) return undefined;
      const asked = params?.['protocolVersion'];
      return bad(unsupportedVersion(typeof asked === 'string' ? asked : '', spoken.modern));
    },
  },
  {
    rank: '9m',
    name: 'version header',
    answers: [[400, CODE.headerMismatch]],
    check: ({ version }) => mismatch(version === undefined ? 'The MCP-Protocol-Version header is missing' : undefined),
  },
  {
    rank: '10m',
    name: 'version header and claim',
    answers: [[400, CODE.headerMismatch]],
    check: ({ version, claimed }) =>
      mismatch(
        claimed === undefined || claimed === version
          ? undefined
          : `The MCP-Protocol-Version header says '${shown(version, 40)}', the body '${shown(claimed, 40)}'`,
      ),
  },
  {
    rank: '11m',
    name: 'version',
    answers: [[400, CODE.unsupportedVersion]],
    check({ version = '' }, { spoken }) {
      return spoken.modern.some((known) => known === version)
        ? undefined
        : bad(unsupportedVersion(version, spoken.modern));
    },
  },
  {
    rank: '12m',
    name: 'method and name headers',
    answers: [[400, CODE.headerMismatch]],
    check: ({ message, header, asks }, { nameSources }) =>
      mismatch(checkStandardHeaders(message, header, asks, nameSources)),
  },
  {
    rank: '13m',
    name: 'metadata',
    answers: [[400, CODE.invalidParams]],
    check: ({ claim }) => (claim instanceof ProtocolError ? bad(claim) : undefined),
  },
  {
    rank: '14m',
    name: 'method',
    answers: [[404, CODE.methodNotFound]],
    check({ claim, message }, lookup) {
      if (claim === undefined || claim instanceof ProtocolError || lookup.has(message.method, claim.revision))
        return undefined;
      return { status: 404, code: CODE.methodNotFound, message: `Method not found: ${shown(message.method)}` };
    },
  },
];

/** A call whose tool is known: it is there, and its caller may see it. */
export interface ToolCall {
  readonly header: HeaderLookup;
  readonly mirrored: readonly MirroredParam[];
  readonly args: JsonObject | undefined;
}

/** What only the tool's schema can tell. An unknown tool is an error of its own, so it comes after that. */
export const TOOL_CALL: readonly Rung<ToolCall>[] = [
  {
    rank: '16m',
    name: 'parameter headers',
    answers: [[400, CODE.headerMismatch]],
    check: ({ header, mirrored, args }) => mismatch(checkParamHeaders(mirrored, args, header)),
  },
];
