import type { TaskSupport } from './tasks.ts';
import type { Annotations, Icon } from './content.ts';
import type { Meta } from './meta.ts';

/** A JSON Schema, as an object. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Name and version of a program. */
export interface Implementation {
  /** The name for programs. It is not verified: any program can use any name. */
  name: string;
  /** The version, in any form. */
  version: string;
  /** The name to show to people (from 2025-06-18). Default: `name`. */
  title?: string;
  /** What the program does (from 2025-11-25). */
  description?: string;
  /** The URL of its web page (from 2025-11-25). */
  websiteUrl?: string;
  /** Icons to show to people (from 2025-11-25). */
  icons?: Icon[];
}

/** Hints about a tool. A client treats them as untrusted unless it trusts the server. */
export interface ToolAnnotations {
  /** The name to show to people. `title` of the tool takes precedence. */
  title?: string;
  /** The tool changes nothing. Default false. */
  readOnlyHint?: boolean;
  /** The tool may destroy something, if it is not read-only. Default true. */
  destructiveHint?: boolean;
  /** Calling the tool again with the same arguments has no further effect, if it is not read-only. Default false. */
  idempotentHint?: boolean;
  /** The tool interacts with systems outside the server. Default true. */
  openWorldHint?: boolean;
}

/** A tool as an entry of a list. */
export interface ToolEntry {
  /** How the tool runs (2025-11-25). */
  execution?: {
    /** Whether a call may or must be a task. Default `forbidden`. */
    taskSupport?: TaskSupport;
  };
  /** The name with which the tool is called, unique on the server. */
  name: string;
  /** The name to show to people (from 2025-06-18). Default: `name`. */
  title?: string;
  /** For the model: what the tool does and when to use it. */
  description?: string;
  /** The schema of the arguments; its root has the type `object`. */
  inputSchema: JsonSchema;
  /** The schema of `structuredContent` (from 2025-06-18). Default: the tool returns only blocks. */
  outputSchema?: JsonSchema;
  /** Hints about what the tool does (from 2025-03-26). */
  annotations?: ToolAnnotations;
  /** Icons to show to people (from 2025-11-25). */
  icons?: Icon[];
  /** Metadata of the tool (from 2025-06-18). */
  _meta?: Meta;
}

/** A resource as an entry of a list. */
export interface ResourceEntry {
  /** The URI with which the resource is read. */
  uri: string;
  /** The name of the resource. */
  name: string;
  /** The name to show to people (from 2025-06-18). Default: `name`. */
  title?: string;
  /** What the resource is, for a model. */
  description?: string;
  /** The media type, such as `text/markdown`. */
  mimeType?: string;
  /** The size in bytes, before encoding. */
  size?: number;
  /** Hints about the resource. */
  annotations?: Annotations;
  /** Icons to show to people (from 2025-11-25). */
  icons?: Icon[];
  /** Metadata of the resource (from 2025-06-18). */
  _meta?: Meta;
}

/** A resource template as an entry of a list. */
export interface TemplateEntry {
  /** The template of the URIs (RFC 6570). */
  uriTemplate: string;
  /** The name of the template. */
  name: string;
  /** The name to show to people (from 2025-06-18). Default: `name`. */
  title?: string;
  /** What the resources are, for a model. */
  description?: string;
  /** The media type, if all resources of the template have the same. */
  mimeType?: string;
  /** Hints about the resources. */
  annotations?: Annotations;
  /** Icons to show to people (from 2025-11-25). */
  icons?: Icon[];
  /** Metadata of the template (from 2025-06-18). */
  _meta?: Meta;
}

/** An argument of a prompt. */
export interface PromptArgument {
  /** The name of the argument. */
  name: string;
  /** The name to show to people (from 2025-06-18). Default: `name`. */
  title?: string;
  /** What to enter. */
  description?: string;
  /** The argument must be given. Default false. */
  required?: boolean;
}

/** A prompt as an entry of a list. */
export interface PromptEntry {
  /** The name with which the prompt is requested, unique on the server. */
  name: string;
  /** The name to show to people (from 2025-06-18). Default: `name`. */
  title?: string;
  /** What the prompt is for. */
  description?: string;
  /** The arguments, whose values are texts. Default: none. */
  arguments?: PromptArgument[];
  /** Icons to show to people (from 2025-11-25). */
  icons?: Icon[];
  /** Metadata of the prompt (from 2025-06-18). */
  _meta?: Meta;
}

/** A directory or file a client works on. */
export interface Root {
  /** A `file://` URI. */
  uri: string;
  /** The name to show to people. */
  name?: string;
  /** Metadata of the root (from 2025-06-18). */
  _meta?: Meta;
}
