import type { CallToolResult } from 'tenon/client';
import { isObject } from '@tenon/values/is-object';
import type { Toolbox } from '../../registry/toolbox.ts';
import { definitionOf, type Definition } from '../definitions.ts';
import type { Image } from '../tool-result.ts';
import { callFor, type FormatOptions, readFor } from './format.ts';

/** A tool for the AI SDK, versions 5 to 7. Its types are opaque, because the types of the versions are incompatible. */
export interface AiSdkTool {
  /** Tells the AI SDK that the types of the arguments are not known. */
  readonly type: 'dynamic';
  /** The description from the server, for the model. */
  readonly description: string;
  /** The schema of its arguments, which the AI SDK passes on without validating: the host returns errors that are written for the model. */
  readonly inputSchema: never;
  /** Calls the tool. Resolves with the result of the server. */
  readonly execute: (input: unknown, options: unknown) => Promise<never>;
  /** Converts the result for the model. */
  readonly toModelOutput: (given: unknown) => never;
}

/** The tools of a toolbox for `generateText`, `streamText` and agents of the AI SDK, which runs them. */
export interface AiSdkTools {
  /** The current tools, by name. */
  readonly tools: Record<string, AiSdkTool>;
}

/** The symbols by which all these versions recognize a schema, and version 5 its validator. */
const SCHEMA = Symbol.for('vercel.ai.schema');
const VALIDATOR = Symbol.for('vercel.ai.validator');

function schemaOf({ schema }: Definition) {
  return {
    [SCHEMA]: true,
    [VALIDATOR]: true,
    _type: undefined,
    jsonSchema: schema,
    validate: (value: unknown) => ({ success: true, value }),
  };
}

/** Formats an image of a result for a version of the AI SDK. */
type ImagePart = (image: Image) => object;

const asMedia: ImagePart = ({ data, mediaType }) => ({ type: 'media', data, mediaType });
/** Version 7 also accepts it, with a deprecation warning. */
const asImageData: ImagePart = ({ data, mediaType }) => ({ type: 'image-data', data, mediaType });
const asFile: ImagePart = ({ data, mediaType }) => ({ type: 'file', mediaType, data: { type: 'data', data } });

function outputOf(result: CallToolResult, options: FormatOptions, imagePart: ImagePart): object {
  const { text, images, isError } = readFor(result, options);
  if (isError) return { type: 'error-text', value: text };
  // Every provider passes on text unchanged.
  if (images.length === 0) return { type: 'text', value: text };
  return { type: 'content', value: [...(text === '' ? [] : [{ type: 'text', text }]), ...images.map(imagePart)] };
}

/** The tools for the AI SDK. */
export function aiSdkTools(toolbox: Toolbox, options: FormatOptions): AiSdkTools {
  /** Version 7 was detected: it calls tools with other options than earlier versions. */
  let isNewest = false;

  const execute =
    (name: string) =>
    (input: unknown, given: { readonly abortSignal?: AbortSignal | undefined }): Promise<CallToolResult> => {
      isNewest = !('experimental_context' in given);
      return callFor(toolbox, name, input, { ...options, signal: given.abortSignal ?? options.signal });
    };

  /** Version 5 passes the result itself. */
  const toModelOutput = (given: unknown): object =>
    isObject(given) && 'toolCallId' in given && 'output' in given
      ? outputOf(given['output'] as CallToolResult, options, isNewest ? asFile : asImageData)
      : outputOf(given as CallToolResult, options, asMedia);

  const tools = toolbox.tools().map((each) => {
    const definition = definitionOf(each);
    const { name, description } = definition;
    return [
      name,
      { type: 'dynamic', description, inputSchema: schemaOf(definition), execute: execute(name), toModelOutput },
    ] as const;
  });
  // Not by assignment, because a tool may be named `__proto__`.
  return { tools: Object.fromEntries(tools) as unknown as AiSdkTools['tools'] };
}
