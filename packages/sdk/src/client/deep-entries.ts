import type { JsonObject } from '../protocol/jsonrpc.ts';
import { LIST_KEY, type ListMethod } from '../protocol/results.ts';
import { isDeeper } from '../wire/depth.ts';

/**
 * The usable part of a result that is nested too deeply: a list without the entries that are too deep, so that one bad entry does not hide the
 * others. Undefined for any other result. `leftOut` gets the number of removed entries.
 */
export function withoutDeepEntries(
  method: string,
  result: JsonObject,
  depth: number,
  leftOut: (count: number) => void,
): JsonObject | undefined {
  const key = Object.hasOwn(LIST_KEY, method) ? LIST_KEY[method as ListMethod] : undefined;
  const entries = key === undefined ? undefined : result[key];
  if (!Array.isArray(entries)) return undefined;
  const kept = entries.filter((entry) => !isDeeper(entry, depth));
  leftOut(entries.length - kept.length);
  const { [key!]: _entries, ...rest } = result;
  return isDeeper(rest, depth) ? undefined : { ...result, [key!]: kept };
}
