import { isObject } from '@tenon/values/is-object';
import { prettyJson } from '@tenon/inspector/json';

// Renders content of a server as text. Invalid content is shown as JSON, because this is a debugging tool.

type Json = Readonly<Record<string, unknown>>;

function asJson(value: unknown): string {
  return prettyJson(JSON.stringify(value) ?? 'null');
}

/** The decoded size of base64, as text. */
function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function described(kind: string, mimeType: unknown, data: string): string {
  return `[${kind} ${typeof mimeType === 'string' ? `${mimeType}, ` : ''}${sizeOf(data)}]`;
}

/** The content of a resource. */
export function resourceText(contents: unknown): string {
  if (!isObject(contents)) return asJson(contents);
  const { text, blob, mimeType } = contents;
  if (typeof text === 'string') return text;
  return typeof blob === 'string' ? described('binary', mimeType, blob) : asJson(contents);
}

/** One block of content. */
export function blockText(block: unknown): string {
  if (!isObject(block)) return asJson(block);
  const { type, text, data, mimeType, resource, uri, name } = block;
  if (type === 'text' && typeof text === 'string') return text;
  if ((type === 'image' || type === 'audio') && typeof data === 'string') return described(type, mimeType, data);
  if (type === 'resource' && isObject(resource))
    return `[resource ${String(resource['uri'])}]\n${resourceText(resource)}`;
  if (type === 'resource_link') return `[link ${typeof name === 'string' ? `${name} ` : ''}${String(uri)}]`;
  return asJson(block);
}

function sameJson(text: unknown, json: string): boolean {
  if (typeof text !== 'string') return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(json));
  } catch {
    return false;
  }
}

/**
 * The result of a tool: its structured content, and the content blocks that do not just repeat it. `structured` is the JSON text of the
 * structured content, if there is any.
 */
export function toolText(result: Json, structured: string | undefined): string {
  const blocks = Array.isArray(result['content']) ? result['content'] : [];
  if (structured === undefined)
    return Array.isArray(result['content']) ? blocks.map(blockText).join('\n') : asJson(result);
  const more = blocks.filter((block) => !(isObject(block) && sameJson(block['text'], structured)));
  return [prettyJson(structured), ...more.map(blockText)].join('\n');
}

/** The messages of a prompt. */
export function promptText(result: Json): string {
  const messages = result['messages'];
  if (!Array.isArray(messages)) return asJson(result);
  return messages
    .map((message) =>
      isObject(message) ? `${String(message['role'])}: ${blockText(message['content'])}` : asJson(message),
    )
    .join('\n');
}
