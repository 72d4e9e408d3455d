import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { TENON } from '../protocol/meta.ts';
import type { CallToolResult } from '../protocol/results.ts';
import { type JsonLimits, parseJson } from './json.ts';

/** The member that contains a wrapped output or its schema. */
export const WRAPPED = 'result';

/** Wraps a value as `wrapSchema` (`output.ts`) describes. */
export function wrapValue(value: unknown): JsonObject {
  return { [WRAPPED]: value };
}

/** The text of the last text block. */
export function lastText(blocks: readonly object[]): string | undefined {
  return (blocks as readonly { type?: unknown; text?: string }[]).filter(({ type }) => type === 'text').at(-1)?.text;
}

/** The structured value of a tool result as the tool returned it, however the revision carries it. Undefined: there is none. */
export function outputOf(result: CallToolResult, limits: JsonLimits): { readonly value: unknown } | undefined {
  const { content, structuredContent } = result;
  const mark = result._meta?.[TENON.output];
  // `null` is a value.
  if (structuredContent !== undefined) {
    const wrapped = mark === 'wrapped' && isObject(structuredContent) && Object.hasOwn(structuredContent, WRAPPED);
    return { value: wrapped ? structuredContent[WRAPPED] : structuredContent };
  }
  if (isObject(mark) && Object.hasOwn(mark, 'value')) return { value: mark['value'] };
  return mark === 'text' ? parsed(lastText(content), limits) : undefined;
}

/** The peer set the mark, so the text it refers to need not be JSON. */
function parsed(text: string | undefined, limits: JsonLimits): { readonly value: unknown } | undefined {
  try {
    return text === undefined ? undefined : { value: parseJson(text, limits) };
  } catch {
    return undefined;
  }
}
