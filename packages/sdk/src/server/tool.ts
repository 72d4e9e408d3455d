import type { Content, Icon } from '../protocol/content.ts';
import type { JsonSchema, ToolAnnotations, ToolEntry } from '../protocol/entities.ts';
import type { Meta } from '../protocol/meta.ts';
import { type Adapted, adaptSchema } from '../schema/adapt.ts';
import type { InferInput, InferOutput, Schema } from '../schema/schema.ts';
import type { Reply } from './content.ts';
import type { CallContext } from './context.ts';
import { checkEntry, checkParts, type Known, present } from './entry.ts';
import type { Visible } from './visibility.ts';

type Awaitable<T> = T | Promise<T>;

/** What an input schema accepts, and what a handler receives. Without a schema there are no arguments. */
export type InputOf<S> = S extends Schema ? InferInput<S> : Record<string, never>;
export type ParsedOf<S> = S extends Schema ? InferOutput<S> : Record<string, never>;

/** The same value, as somebody may hand it over who does not change it any more. */
type Unchanging<T> = T extends readonly (infer Item)[]
  ? readonly Unchanging<Item>[]
  : T extends
        | string
        | number
        | boolean
        | bigint
        | symbol
        | null
        | undefined
        | Uint8Array
        | ((...args: never) => unknown)
    ? T
    : T extends object
      ? { readonly [Key in keyof T]: Unchanging<T[Key]> }
      : T;

/** What a handler may return: with `output` its value, else text, content blocks or nothing. `reply()` goes everywhere. */
export type Returned<S> = S extends Schema
  ? Unchanging<InferInput<S>> | Reply<Unchanging<InferInput<S>>>
  : string | Content | readonly Content[] | undefined | void | Reply;

/** What `client.call` gives for a tool: what its schema gives, text where the handler gives nothing else, text or blocks. */
export type ResultOf<S, Given = unknown> = S extends Schema
  ? InferOutput<S>
  : Given extends string
    ? string
    : string | Content[];

/** Everything about a tool but its handler. */
export interface ToolOptions<In extends Schema | undefined = undefined, Out extends Schema | undefined = undefined> {
  readonly title?: string;
  /** For the model: what the tool does and when to use it. */
  readonly description?: string;
  /** Its root is an object. Any Standard Schema library, or plain JSON Schema. */
  readonly input?: In;
  /** Results are checked against it and sent as structured content. */
  readonly output?: Out;
  /** The tool changes nothing. */
  readonly readOnly?: boolean;
  /** The tool may destroy something. Assumed unless said otherwise. */
  readonly destructive?: boolean;
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotent?: boolean;
  /** The tool reaches beyond this server. Assumed unless said otherwise. */
  readonly openWorld?: boolean;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
  /** Which classes of callers may see and call it. See `visibility` of the server. */
  readonly visible?: Visible;
  /**
   * The scopes that the token of a caller needs, over HTTP: without them the call is refused with status 403 before anything runs, and the
   * tool is listed all the same. A function says what a call needs, from its arguments.
   */
  readonly scopes?: readonly string[] | ((input: ParsedOf<In>) => Awaitable<readonly string[]>);
}

export type ToolHandler<In extends Schema | undefined, Out extends Schema | undefined, Given> = (
  input: ParsedOf<In>,
  ctx: CallContext,
) => Awaitable<Out extends Schema ? Returned<Out> : Given>;

/** A tool: options and handler. A plain value; it gets its name where it is put. */
export interface Tool<Input = unknown, Output = unknown> {
  readonly kind: 'tool';
  readonly options: ToolOptions<Schema | undefined, Schema | undefined>;
  readonly handler: (input: never, ctx: CallContext) => unknown;
  /** Makes it ready to be called under a name; throws when it cannot work. */
  readonly compile: (name: string) => CompiledTool;
  /** For types only. */
  readonly types?: { readonly input: Input; readonly output: Output };
}

/** A tool, ready to be called. */
export interface CompiledTool {
  readonly name: string;
  readonly tool: Tool;
  readonly entry: ToolEntry;
  readonly input: Adapted | undefined;
  readonly output: Adapted | undefined;
}

/**
 * Makes a tool.
 *
 * @example
 * ```ts
 * const add = tool({ description: 'Add two numbers', input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);
 * ```
 */
export const tool = <
  const In extends Schema | undefined = undefined,
  const Out extends Schema | undefined = undefined,
  Given extends Returned<undefined> = Returned<undefined>,
>(
  options: ToolOptions<In, Out>,
  handler: ToolHandler<In, Out, Given>,
): Tool<InputOf<In>, ResultOf<Out, Given>> => {
  const made: Tool = {
    kind: 'tool',
    options: options as Tool['options'],
    handler: handler as Tool['handler'],
    compile: (name) => compileTool(name, made),
  };
  return made as Tool<InputOf<In>, ResultOf<Out, Given>>;
};

const OPTIONS: Known<ToolOptions> = {
  title: 1,
  description: 1,
  input: 1,
  output: 1,
  readOnly: 1,
  destructive: 1,
  idempotent: 1,
  openWorld: 1,
  icons: 1,
  _meta: 1,
  visible: 1,
  scopes: 1,
};

const NO_ARGUMENTS: JsonSchema = { type: 'object', additionalProperties: false };
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

const compileTool = (name: string, tool: Tool): CompiledTool => {
  if (!TOOL_NAME.test(name)) throw new TypeError('a tool name has 1 to 128 letters, digits, "_", "-" or "."');
  const { options } = tool;
  checkParts(tool, OPTIONS);
  checkEntry(options);
  const input = options.input === undefined ? undefined : adaptSchema(options.input, 'input');
  const output = options.output === undefined ? undefined : adaptSchema(options.output, 'output');
  if (input !== undefined && input.json['type'] !== 'object')
    throw new TypeError('the root of its input schema must be an object ("type": "object")');
  const entry = present({
    name,
    title: options.title,
    description: options.description,
    inputSchema: input?.json ?? NO_ARGUMENTS,
    outputSchema: output?.json,
    annotations: annotationsOf(options),
    icons: options.icons?.slice(),
    _meta: options._meta,
  }) as ToolEntry;
  return { name, tool, entry, input, output };
};

const HINTS = [
  ['readOnly', 'readOnlyHint'],
  ['destructive', 'destructiveHint'],
  ['idempotent', 'idempotentHint'],
  ['openWorld', 'openWorldHint'],
] as const;

/** The annotations a list shows; undefined when the author said nothing. */
const annotationsOf = (options: ToolOptions<Schema | undefined, Schema | undefined>): ToolAnnotations | undefined => {
  const said = HINTS.filter(([name]) => options[name] !== undefined);
  return said.length === 0 ? undefined : Object.fromEntries(said.map(([name, hint]) => [hint, options[name]]));
};
