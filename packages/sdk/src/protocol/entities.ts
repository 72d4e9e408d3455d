import type { Annotations, Icon } from './content.ts';
import type { Meta } from './meta.ts';

/** A JSON Schema, as an object. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Name and version of a program. */
export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}

/** Hints about a tool. A client treats them as untrusted unless it trusts the server. */
export interface ToolAnnotations {
  title?: string;
  /** Default false. */
  readOnlyHint?: boolean;
  /** Default true. */
  destructiveHint?: boolean;
  /** Default false. */
  idempotentHint?: boolean;
  /** Default true. */
  openWorldHint?: boolean;
}

/** A tool as an entry of a list. */
export interface ToolEntry {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  annotations?: ToolAnnotations;
  icons?: Icon[];
  _meta?: Meta;
}

/** A resource as an entry of a list. */
export interface ResourceEntry {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** In bytes. */
  size?: number;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: Meta;
}

/** A resource template as an entry of a list. */
export interface TemplateEntry {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: Meta;
}

/** An argument of a prompt. */
export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

/** A prompt as an entry of a list. */
export interface PromptEntry {
  name: string;
  title?: string;
  description?: string;
  arguments?: PromptArgument[];
  icons?: Icon[];
  _meta?: Meta;
}

/** A directory or file a client works on. */
export interface Root {
  /** A `file://` URI. */
  uri: string;
  name?: string;
  _meta?: Meta;
}
