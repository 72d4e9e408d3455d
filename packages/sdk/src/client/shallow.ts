import type { JsonObject } from '../protocol/jsonrpc.ts';
import { LIST_KEY, type ListMethod } from '../protocol/results.ts';
import { isDeeper } from '../wire/depth.ts';

/**
 * What of a result that is nested too deep may be used: a list without the entries that are too deep, so that one of them hides no other.
 * Undefined for what is no list. `leftOut` is told how many entries are missing.
 */
export const shallowPart = (
  method: string,
  result: JsonObject,
  depth: number,
  leftOut: (count: number) => void,
): JsonObject | undefined => {
  const key = Object.hasOwn(LIST_KEY, method) ? LIST_KEY[method as ListMethod] : undefined;
  const entries = key === undefined ? undefined : result[key];
  if (!Array.isArray(entries)) return undefined;
  const kept = entries.filter((entry) => !isDeeper(entry, depth));
  leftOut(entries.length - kept.length);
  const { [key!]: _entries, ...rest } = result;
  return isDeeper(rest, depth) ? undefined : { ...result, [key!]: kept };
};
