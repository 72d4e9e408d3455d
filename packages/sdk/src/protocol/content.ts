import type { Meta } from './meta.ts';

/** Hints for a client about a piece of content or a resource. */
export interface Annotations {
  audience?: readonly ('user' | 'assistant')[];
  /** Importance from 0 (optional) to 1 (required). */
  priority?: number;
  /** ISO 8601. */
  lastModified?: string;
}

/** Fields that every content block may have. */
interface Block {
  annotations?: Annotations;
  _meta?: Meta;
}

export interface TextContent extends Block {
  type: 'text';
  text: string;
}

/** `data` is base64. */
export interface ImageContent extends Block {
  type: 'image';
  data: string;
  mimeType: string;
}

/** `data` is base64. */
export interface AudioContent extends Block {
  type: 'audio';
  data: string;
  mimeType: string;
}

/** The content of a resource: `text`, or `blob` in base64. */
export interface ResourceContents {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
  _meta?: Meta;
}

export interface EmbeddedResource extends Block {
  type: 'resource';
  resource: ResourceContents;
}

export interface ResourceLink extends Block {
  type: 'resource_link';
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** In bytes. */
  size?: number;
  icons?: Icon[];
}

/** A block of a tool result or of a prompt message. */
export type Content = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

/** A tool call by a model, in sampling. */
export interface ToolUseContent {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
  _meta?: Meta;
}

/** The result of a tool call, in sampling. */
export interface ToolResultContent {
  type: 'tool_result';
  toolUseId: string;
  content: Content[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Meta;
}

/** A block of a sampling message. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

export interface Icon {
  /** `https:` or `data:`. */
  src: string;
  mimeType?: string;
  /** `48x48`, or `any`. */
  sizes?: readonly string[];
  theme?: 'light' | 'dark';
}

/** Is this an allowed source for icons? Only `https:` and `data:` are safe to load. */
export function isIconSource(uri: string): boolean {
  return /^(?:https|data):/i.test(uri);
}
