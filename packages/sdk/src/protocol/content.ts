import type { Meta } from './meta.ts';

/** Hints for a client about a piece of content or a resource. */
export interface Annotations {
  /** Who the content is for. */
  audience?: readonly ('user' | 'assistant')[];
  /** Importance from 0 (optional) to 1 (required). */
  priority?: number;
  /** When it was last changed, as an ISO 8601 time (from 2025-06-18). */
  lastModified?: string;
}

/** Fields that every content block may have. */
interface Block {
  /** Hints about the block. */
  annotations?: Annotations;
  /** Metadata of the block. */
  _meta?: Meta;
}

/** A text. */
export interface TextContent extends Block {
  /** Always `text`. */
  type: 'text';
  /** The text. */
  text: string;
}

/** An image. */
export interface ImageContent extends Block {
  /** Always `image`. */
  type: 'image';
  /** The bytes in base64. */
  data: string;
  /** The media type, such as `image/png`. */
  mimeType: string;
}

/** A sound (from 2025-03-26). */
export interface AudioContent extends Block {
  /** Always `audio`. */
  type: 'audio';
  /** The bytes in base64. */
  data: string;
  /** The media type, such as `audio/wav`. */
  mimeType: string;
}

/** The content of a resource: `text`, or `blob` in base64. */
export interface ResourceContents {
  /** The URI of the resource, or of a part of it. */
  uri: string;
  /** The media type, such as `text/markdown`. */
  mimeType?: string;
  /** The content as text. Either this or `blob` is present. */
  text?: string;
  /** The content as bytes in base64. */
  blob?: string;
  /** Metadata of the content. */
  _meta?: Meta;
}

/** The content of a resource, as a block. */
export interface EmbeddedResource extends Block {
  /** Always `resource`. */
  type: 'resource';
  /** The resource and its content. */
  resource: ResourceContents;
}

/** A link to a resource that the client may read. The resource need not be in the list of resources. */
export interface ResourceLink extends Block {
  /** Always `resource_link`. */
  type: 'resource_link';
  /** The URI of the resource. */
  uri: string;
  /** The name of the resource. */
  name: string;
  /** The name to show to people. Default: `name`. */
  title?: string;
  /** What the resource is, for a model. */
  description?: string;
  /** The media type, such as `text/markdown`. */
  mimeType?: string;
  /** The size in bytes, before encoding. */
  size?: number;
  /** Icons to show to people. */
  icons?: Icon[];
}

/** A block of a tool result or of a prompt message. */
export type Content = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

/** A tool call by a model, in sampling. */
export interface ToolUseContent {
  /** Always `tool_use`. */
  type: 'tool_use';
  /** Identifies the tool call in the conversation. */
  id: string;
  /** The name of the tool. */
  name: string;
  /** The arguments. */
  input: Record<string, unknown>;
  /** Metadata of the block. */
  _meta?: Meta;
}

/** The result of a tool call, in sampling. */
export interface ToolResultContent {
  /** Always `tool_result`. */
  type: 'tool_result';
  /** The `id` of the tool call. */
  toolUseId: string;
  /** The result, as blocks. */
  content: Content[];
  /** The result as a value, if the tool has an output schema. */
  structuredContent?: unknown;
  /** The tool failed. Default false. */
  isError?: boolean;
  /** Metadata of the block. */
  _meta?: Meta;
}

/** A block of a sampling message. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/** An image that programs may show beside a name (from 2025-11-25). */
export interface Icon {
  /** The URI of the image: `https:` or `data:`. */
  src: string;
  /** The media type, if the one of the server that delivers the image is missing or too general. */
  mimeType?: string;
  /** The sizes that it is for: `48x48`, or `any` for a vector image. Default: any. */
  sizes?: readonly string[];
  /** The background that the icon is for. Default: any. */
  theme?: 'light' | 'dark';
}

/** Is this an allowed source for icons? Only `https:` and `data:` are safe to load. */
export function isIconSource(uri: string): boolean {
  return /^(?:https|data):/i.test(uri);
}
