import { isObject } from '@tenon/values/is-object';
import { memberText } from '../../../../src/values/json-text.ts';

// The parts of a result that people look at, for tools, prompts and resources.

/** A content block, from any kind of result. */
export type Block =
  | { readonly type: 'text'; readonly text: string; readonly about: Notes }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string; readonly about: Notes }
  | { readonly type: 'blob'; readonly data: string; readonly mimeType: string; readonly about: Notes }
  | {
      readonly type: 'link';
      readonly uri: string;
      readonly name: string | undefined;
      readonly description: string | undefined;
      readonly about: Notes;
    }
  | { readonly type: 'unknown'; readonly json: string; readonly about: Notes };

/** The heading of a block. */
export interface Notes {
  /** For a prompt: the role of the message. */
  readonly role?: string;
  readonly uri?: string;
  readonly mimeType?: string;
}

/** The views of a result. */
export interface ResultViews {
  readonly content: readonly Block[] | undefined;
  /** Exactly as the server sent it. */
  readonly structured: string | undefined;
}

type Json = Record<string, unknown>;
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function resourceBlock(value: unknown, about: Notes): Block {
  if (!isObject(value)) return { type: 'unknown', json: JSON.stringify(value) ?? 'null', about };
  const { uri, mimeType, text, blob } = value;
  const notes = {
    ...about,
    uri: textOf(uri),
    mimeType: textOf(mimeType),
  };
  if (typeof text === 'string') return { type: 'text', text, about: notes };
  if (typeof blob !== 'string') return { type: 'unknown', json: JSON.stringify(value), about };
  const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
  const kind = type.startsWith('image/') ? 'image' : type.startsWith('audio/') ? 'audio' : 'blob';
  return { type: kind, data: blob, mimeType: type, about: notes };
}

function blockOf(value: unknown, about: Notes): Block {
  if (isObject(value)) {
    const { type, data, mimeType } = value;
    if (type === 'text' && typeof value['text'] === 'string') return { type, text: value['text'], about };
    if ((type === 'image' || type === 'audio') && typeof data === 'string')
      return { type, data, mimeType: textOf(mimeType) ?? '', about };
    if (type === 'resource') return resourceBlock(value['resource'], about);
    if (type === 'resource_link' && typeof value['uri'] === 'string') {
      const { uri, name, title, description } = value;
      return { type: 'link', uri, name: textOf(title) ?? textOf(name), description: textOf(description), about };
    }
  }
  return { type: 'unknown', json: JSON.stringify(value) ?? 'null', about };
}

function messageBlocks(value: unknown): readonly Block[] {
  if (!isObject(value)) return [blockOf(value, {})];
  const about = { role: textOf(value['role']) };
  const { content } = value;
  return (Array.isArray(content) ? content : [content]).map((one) => blockOf(one, about));
}

function contentOf(result: Json): readonly Block[] | undefined {
  const { content, contents, messages } = result;
  if (Array.isArray(messages)) return messages.flatMap(messageBlocks);
  if (Array.isArray(contents)) return contents.map((one) => resourceBlock(one, {}));
  return Array.isArray(content) ? content.map((one) => blockOf(one, {})) : undefined;
}

/** Reads a result: JSON as the server sent it. Missing parts are undefined. */
export function viewsOf(result: string | undefined): ResultViews {
  if (result === undefined) return { content: undefined, structured: undefined };
  let value: unknown;
  try {
    value = JSON.parse(result);
  } catch {
    value = undefined;
  }
  if (!isObject(value)) return { content: undefined, structured: undefined };
  return { content: contentOf(value), structured: memberText(result, 'structuredContent') };
}
