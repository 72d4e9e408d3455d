import { isObject } from '../protocol/jsonrpc.ts';
import type { Limits } from '../protocol/limits.ts';
import { JsonError, parseJson } from './json.ts';

/**
 * The maximum nesting of any message. A list with one entry that is deeper than `limits.depth` is still read, so that this entry can be
 * dropped and the others used.
 */
const MAX_DEPTH = 20_000;

/** Does it have a member `jsonrpc`, valid or not? */
function hasJsonRpcMember(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every(isJsonRpc) : isJsonRpc(value);
}

function isJsonRpc(value: unknown): boolean {
  return isObject(value) && value['jsonrpc'] === '2.0';
}

/** The result of parsing a text. */
export type ParseResult =
  | { readonly value: unknown; readonly deep: boolean; readonly kind: 'received' | 'junk' }
  | { readonly problem: string; readonly kind: 'received' | 'junk' };

/** Parses a text of the peer within limits. */
export function parseText(text: string, limits: Limits): ParseResult {
  let value: unknown;
  let deep = false;
  try {
    try {
      value = parseJson(text, limits);
    } catch (error) {
      if (!(error instanceof JsonError && error.reason === 'depth')) throw error;
      value = parseJson(text, { depth: MAX_DEPTH, elements: limits.elements });
      deep = true;
    }
  } catch (error) {
    // JSON that exceeds a limit may be a message.
    const kind = error instanceof JsonError && error.reason !== 'syntax' ? 'received' : 'junk';
    return { problem: (error as Error).message, kind };
  }
  return { value, deep, kind: hasJsonRpcMember(value) ? 'received' : 'junk' };
}
