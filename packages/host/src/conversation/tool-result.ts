import type { ToolResultPart } from 'ai';
import type { CallToolResult, Content, ResourceContents } from 'tenon/client';
import { clip, sizeOf } from './clip.ts';
import { wellFormed } from '../values/well-formed.ts';
import { isBase64 } from '../values/base64.ts';
import { isObject } from '@tenon/values/is-object';
import { canonicalJson } from '@tenon/values/canonical-json';

type Output = ToolResultPart['output'];

/** An image for the model. `data` is base64. */
export interface Image {
  readonly data: string;
  readonly mediaType: string;
}

/** A tool result in the form for the model. */
export interface ModelResult {
  readonly text: string;
  readonly images: readonly Image[];
  readonly isError: boolean;
}

/** The image types that all models with image input support. */
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** In characters of base64. Providers reject the whole conversation for a larger image. */
const MAX_IMAGE_LENGTH = 5_000_000;

const FOR_PERSON = '[Content for the person only was omitted here.]';

/** Whether a server wrote content for the person, and not for the model ("Annotations" of the specification). */
function isForPerson({ annotations }: Content): boolean {
  const audience: unknown = annotations?.audience;
  return Array.isArray(audience) && audience.length > 0 && !audience.includes('assistant');
}

/**
 * Converts a tool result to text of at most `limit` characters, and images. Without `includeImages`, and in errors, a note replaces each
 * image. Another note replaces content that is only for the person.
 */
export function readResult(given: CallToolResult, limit: number, includeImages: boolean): ModelResult {
  const result = { ...given, content: given.content.filter((block) => !isForPerson(block)) };
  const images: Image[] = [];
  const show = (image: Image): boolean => {
    if (!includeImages || result.isError || !isShowable(image)) return false;
    images.push(image);
    return true;
  };
  const texts = result.content.map((block) => textOf(block, show)).filter((text) => text.trim() !== '');
  const structured = structuredText(result);
  if (structured !== undefined) texts.push(structured);
  if (result.content.length < given.content.length) texts.push(FOR_PERSON);
  if (texts.length === 0 && images.length === 0) texts.push(emptyNote(result));
  return { text: clip(texts.join('\n\n'), limit), images, isError: result.isError === true };
}

function emptyNote({ isError }: CallToolResult): string {
  return isError ? 'The tool failed and did not say why.' : 'Done. The tool returned no content.';
}

export function isShowable({ data, mediaType }: Image): boolean {
  return IMAGE_TYPES.has(mediaType.toLowerCase()) && data.length <= MAX_IMAGE_LENGTH && isBase64(data);
}

function textOf(block: Content, show: (image: Image) => boolean): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return show({ data: block.data, mediaType: block.mimeType })
        ? ''
        : leftOut('An image', block.mimeType, block.data);
    case 'audio':
      return leftOut('A recording', block.mimeType, block.data);
    case 'resource_link':
      return linkText(block);
    case 'resource':
      return resourceText(block.resource, show);
    default:
      return `[Content of an unknown kind, ${JSON.stringify((block as { type: unknown }).type)}, was omitted here.]`;
  }
}

function leftOut(what: string, mediaType: string, data: string): string {
  return `[${what} (${mediaType}, ${sizeOf(data)}) was omitted here: it cannot be shown to you.]`;
}

function linkText(link: Extract<Content, { type: 'resource_link' }>): string {
  const facts = [link.mimeType, link.size === undefined ? undefined : `${link.size} bytes`].filter(Boolean).join(', ');
  const lines = [`[Link to the resource ${link.uri}] ${link.title ?? link.name}${facts ? ` (${facts})` : ''}`];
  return link.description ? `${lines[0]}\n${link.description}` : (lines[0] ?? '');
}

function resourceText(resource: ResourceContents, show: (image: Image) => boolean): string {
  const { uri, text, blob = '', mimeType = 'application/octet-stream' } = resource;
  if (text !== undefined) return `[Resource ${uri}]\n${text}`;
  if (show({ data: blob, mediaType: mimeType })) return `[Resource ${uri}, an image]`;
  return `[Resource ${uri}] ${leftOut('Binary data', mimeType, blob)}`;
}

/** The structured content, unless a text block says the same: servers repeat it for clients that do not support it. */
function structuredText({ content, structuredContent }: CallToolResult): string | undefined {
  if (structuredContent === undefined) return undefined;
  const members: unknown[] = isObject(structuredContent) ? Object.values(structuredContent) : [];
  // The schema of structured content is often an object with one member only because it has to be an object.
  const values = members.length === 1 ? [structuredContent, members[0]] : [structuredContent];
  const isRepeated = content.some(
    (block) => block.type === 'text' && values.some((value) => isSame(value, block.text)),
  );
  return isRepeated ? undefined : JSON.stringify(structuredContent);
}

/** Whether a text is this value: as text, but for white space around it, or as JSON. */
function isSame(value: unknown, text: string): boolean {
  if (typeof value === 'string' && value.trim() === text.trim()) return true;
  return normalised(text) === canonicalJson(value);
}

function normalised(text: string): string | undefined {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Converts the result for the AI SDK. A result without images stays text, which every provider passes on unchanged. */
export function outputOf({ text, images, isError }: ModelResult): Output {
  if (isError) return { type: 'error-text', value: text };
  if (images.length === 0) return { type: 'text', value: text };
  return {
    type: 'content',
    value: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...images.map(({ data, mediaType }) => ({
        type: 'file' as const,
        mediaType,
        data: { type: 'data' as const, data },
      })),
    ],
  };
}

/** An error result with a text for the model. */
export function errorResult(text: string): CallToolResult {
  return {
    content: [{ type: 'text', text: wellFormed(text) }],
    isError: true,
  };
}
