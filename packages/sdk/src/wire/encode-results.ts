import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { CallToolResult, Completion, GetPromptResult, ReadResourceResult } from '../protocol/results.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { encodeBlocks, encodeContent } from './content.ts';
import { mapSame, restrict } from './fields.ts';
import { encodeJson } from './json.ts';
import { marked } from './output.ts';
import { lastText, wrapValue } from './read-output.ts';

export { wrapsOutput } from './output.ts';

/** The maximum number of values of a completion. */
const COMPLETIONS = 100;

/**
 * The result of a tool as `revision` can carry it. If the content has no text, the JSON of `structuredContent` is added as text. Revisions that
 * allow only objects get other values as `{ result: value }`, and every value if `wrap` is set because the schema they have seen is wrapped. If
 * the value was moved, a mark in `_meta` says where. A result that needs no change is returned as it is.
 */
export function encodeToolResult(result: CallToolResult, revision: Revision, options?: { wrap?: boolean }): JsonObject {
  const encoded = restrict('callResult', result, revision);
  const given: readonly object[] = result.content;
  const blocks = encodeBlocks(result.content, revision);
  const value = result.structuredContent;
  // `null` is a value here; only a missing member means that there is none.
  if (value === undefined) return blocks === given ? encoded : { ...encoded, content: blocks };
  const content = result.content.some((block) => block.type === 'text') ? blocks : [...blocks, jsonBlock(value)];
  const { structured } = featuresOf(revision);
  if (structured === 'none') {
    return marked({ ...encoded, content }, lastText(content) === encodeJson(value) ? 'text' : { value });
  }
  if (structured === 'object' && (options?.wrap === true || !isObject(value))) {
    return marked({ ...encoded, content, structuredContent: wrapValue(value) }, 'wrapped');
  }
  return content === given ? encoded : { ...encoded, content };
}

/** The members of the result of a read that is one text, encoded: they are the same in every revision. */
export function textContentsMembers(uri: string, mimeType: string | undefined, text: string): string {
  const type = mimeType === undefined ? '' : `"mimeType":${JSON.stringify(mimeType)},`;
  return `"contents":[{"uri":${JSON.stringify(uri)},${type}"text":${JSON.stringify(text)}}]`;
}

function jsonBlock(value: unknown): JsonObject {
  return { type: 'text', text: encodeJson(value) };
}

/** The messages of a prompt as `revision` can represent them. */
export function encodePromptResult(result: GetPromptResult, revision: Revision): JsonObject {
  const messages = mapSame(result.messages, (message, index) => {
    const content = encodeContent(message.content, revision, index) as object as typeof message.content;
    return content === message.content ? message : { ...message, content };
  });
  return (messages === result.messages ? result : { ...result, messages }) as object as JsonObject;
}

/** The contents of a resource. `ttlMs` and `cacheScope` stay: `complete` removes them if they are unknown. */
export function encodeReadResult(result: ReadResourceResult, revision: Revision): JsonObject {
  return restrict('readResult', result, revision);
}

/** The result of `completion/complete`: at most 100 values, and `hasMore` if there were more. */
export function encodeCompletion(completion: Completion): JsonObject {
  const { values, total, hasMore } = completion;
  const cut = values.length > COMPLETIONS;
  return {
    completion: {
      values: cut ? values.slice(0, COMPLETIONS) : values,
      total: total ?? (cut ? values.length : undefined),
      hasMore: cut || hasMore,
    },
  };
}
