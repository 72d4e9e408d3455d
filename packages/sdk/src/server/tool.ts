import type { Content, Icon } from '../protocol/content.ts';
import type { JsonSchema, ToolAnnotations, ToolEntry } from '../protocol/entities.ts';
import type { Meta } from '../protocol/meta.ts';
import type { TaskSupport } from '../protocol/tasks.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import type { KnownOptions } from '../protocol/known-options.ts';
import { type AdaptedSchema, adaptSchema } from '../schema/adapt.ts';
import { withObjectRoot } from '../schema/accepted-types.ts';
import type { Hint, InferInput, InferOutput, Schema } from '../schema/schema.ts';
import type { Reply } from './content.ts';
import type { CallContext, State } from './context.ts';
import { checkEntry, checkParts } from './check-options.ts';
import type { Middleware, StateOf } from './middleware.ts';
import type { Visible } from './visibility.ts';

type Awaitable<T> = T | Promise<T>;

/** The type that an input schema accepts. Without a schema there are no arguments. */
export type InputOf<S> = S extends Schema ? InferInput<S> : Record<string, never>;
/** The type that a handler gets from an input schema: parsed, with defaults filled in. */
export type ParsedOf<S> = S extends Schema ? InferOutput<S> : Record<string, never>;

/** The same type with readonly arrays and members, for values that the tool does not change. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends
        | string
        | number
        | boolean
        | bigint
        | symbol
        | null
        | undefined
        | Uint8Array
        | Hint<string>
        | ((...args: never) => unknown)
    ? T
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T;

/**
 * The return value of a handler: with `output` a value of that schema, else text, content blocks or nothing. `reply()` is always allowed.
 */
export type ReturnValue<S> = S extends Schema
  ? DeepReadonly<InferInput<S>> | Reply<DeepReadonly<InferInput<S>>>
  :
      | string
      | Content
      | readonly Content[]
      | undefined
      | void
      | Reply
      | Hint<'for data, give the tool an `output` schema'>;

/**
 * The return type of `client.call` for a tool: the type of its output schema; without one, text if the handler returns only text, else text
 * or blocks.
 */
export type ResultOf<S, Given = unknown> = S extends Schema
  ? InferOutput<S>
  : Given extends string
    ? string
    : string | Content[];

/** The options of a tool. */
export interface ToolOptions<
  In extends Schema | undefined = undefined,
  Out extends Schema | undefined = undefined,
  Uses extends readonly Middleware[] = readonly Middleware[],
> {
  /** The name to show to people. Default: the name of the tool. */
  readonly title?: string;
  /** For the model: what the tool does and when to use it. */
  readonly description?: string;
  /** The schema of the arguments: an object, or a union of objects. Any Standard Schema library, or plain JSON Schema. Default: no arguments. */
  readonly input?: In;
  /** Results are checked against this schema and sent as structured content. Default: text or content blocks. */
  readonly output?: Out;
  /** The tool changes nothing (`readOnlyHint`). Clients assume false if it is not set. */
  readonly readOnly?: boolean;
  /** The tool may destroy something (`destructiveHint`). Clients assume true if it is not set. */
  readonly destructive?: boolean;
  /** Calling the tool again with the same arguments has no further effect (`idempotentHint`). Clients assume false if it is not set. */
  readonly idempotent?: boolean;
  /** The tool interacts with systems outside this server (`openWorldHint`). Clients assume true if it is not set. */
  readonly openWorld?: boolean;
  /** Icons to show to people, at `https:` or `data:` URIs. */
  readonly icons?: readonly Icon[];
  /** Metadata of the tool, for programs that know the keys. */
  readonly _meta?: Meta;
  /** Which classes of callers may see and call it. Default: all. See `visibility` of the server. */
  readonly visible?: Visible;
  /**
   * The OAuth scopes that the caller's token needs, over HTTP. Without them the call is refused with status 403 before anything runs; the
   * tool is still listed. A function returns the scopes for the arguments of a call.
   */
  readonly scopes?: readonly string[] | ((input: ParsedOf<In>) => Awaitable<readonly string[]>);
  /**
   * Whether a call may become a task, which continues after its answer, and whose result is requested later ("Tasks"). `optional`: where
   * the client can take one; other clients wait for the result as usual. `required`: clients that know tasks must take one. Default
   * `forbidden`.
   */
  readonly taskSupport?: TaskSupport;
  /**
   * Asks the questions of the handler, under the same names, before a call becomes a task. The handler then gets their answers, and the
   * client gets its task only when it has answered. It runs only for tasks of 2026-07-28, so the handler must still ask its questions and
   * do its checks.
   */
  readonly askFirst?: (input: ParsedOf<In>, ctx: CallContext) => Awaitable<unknown>;
  /**
   * What happens to a task whose process ended before the task. `fail`: it fails. `rerun`: its handler runs again from the top; answers of
   * the user and results of `once` are kept. Default `fail`.
   */
  readonly interrupted?: 'fail' | 'rerun';
  /**
   * Middleware that the tool needs: it runs around this tool, and only once if the server uses it for all calls. The members that it adds
   * are typed in `ctx.state`.
   */
  readonly use?: Uses;
}

/** Names of these options in other libraries: the compiler suggests the name to use. */
interface OtherNames {
  /** @deprecated The hints are options of their own: `readOnly`, `destructive`, `idempotent`, `openWorld`. */
  readonly annotations?: Hint<'set `readOnly`, `destructive`, `idempotent` or `openWorld` of the tool itself'>;
  /** @deprecated It is called `input`. */
  readonly inputSchema?: Hint<'the schema of the arguments is the option `input`'>;
  /** @deprecated It is called `output`. */
  readonly outputSchema?: Hint<'the schema of the result is the option `output`'>;
}

/** The handler of a tool with these schemas: gets the parsed arguments, and returns the result, or a promise of it. */
export type ToolHandler<In extends Schema | undefined, Out extends Schema | undefined, Given, Added = State> = (
  input: ParsedOf<In>,
  ctx: CallContext<Added>,
) => Awaitable<Out extends Schema ? ReturnValue<Out> : Given>;

/** A tool: options and handler. A plain value; its name is the key under which it is added to a server. */
export interface Tool<Input = unknown, Output = unknown> {
  /** Always `tool`. */
  readonly kind: 'tool';
  /** The options as they were given. */
  readonly options: ToolOptions<Schema | undefined, Schema | undefined>;
  /** The handler as it was given. */
  readonly handler: (input: never, ctx: CallContext) => unknown;
  /** @internal Prepares it for use under a name; throws if it is invalid. */
  readonly compile: (name: string) => CompiledTool;
  /** Exists only for types. */
  readonly types?: {
    /** The arguments as callers write them. */
    readonly input: Input;
    /** What `client.call` returns. */
    readonly output: Output;
  };
}

/** A tool that is ready for use. */
export interface CompiledTool {
  readonly name: string;
  readonly tool: Tool;
  readonly entry: ToolEntry;
  readonly input: AdaptedSchema | undefined;
  readonly output: AdaptedSchema | undefined;
}

/**
 * Makes a tool. `handler` gets the checked arguments. A `ToolError` that it throws is shown to the model, and a `ProtocolError` is sent to
 * the client; any other error is logged with an id, and the model sees only the id. Invalid options throw a `DefinitionError` when the tool
 * is added to a server.
 *
 * @example
 * ```ts
 * import { tool } from 'tenon';
 * import { z } from 'zod';
 *
 * const input = z.object({ a: z.number(), b: z.number() });
 * const add = tool({ description: 'Add two numbers', input }, ({ a, b }) => `${a + b}`);
 * ```
 */
export function tool<
  const In extends Schema | undefined = undefined,
  const Out extends Schema | undefined = undefined,
  Given extends ReturnValue<undefined> = ReturnValue<undefined>,
  const Uses extends readonly Middleware[] = readonly Middleware[],
>(
  options: ToolOptions<In, Out, Uses> & OtherNames,
  handler: ToolHandler<In, Out, Given, StateOf<Uses>>,
): Tool<InputOf<In>, ResultOf<Out, Given>> {
  const made: Tool = {
    kind: 'tool',
    options: options as Tool['options'],
    handler: handler as unknown as Tool['handler'],
    compile: (name) => compileTool(name, made),
  };
  return made as Tool<InputOf<In>, ResultOf<Out, Given>>;
}

const OPTIONS: KnownOptions<ToolOptions> = {
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
  taskSupport: 1,
  askFirst: 1,
  interrupted: 1,
  use: 1,
};

const NO_ARGUMENTS: JsonSchema = { type: 'object', additionalProperties: false };
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

function compileTool(name: string, tool: Tool): CompiledTool {
  if (!TOOL_NAME.test(name)) throw new TypeError('a tool name has 1 to 128 letters, digits, "_", "-" or "."');
  const { options } = tool;
  checkParts(tool, OPTIONS);
  checkEntry(options);
  const input = options.input === undefined ? undefined : adaptSchema(options.input, 'input');
  const output = options.output === undefined ? undefined : adaptSchema(options.output, 'output');
  const inputSchema = input === undefined ? NO_ARGUMENTS : withObjectRoot(input.json);
  if (inputSchema === undefined)
    throw new TypeError('the root of its input schema must be an object ("type": "object"), or a union of objects');
  const { taskSupport } = options;
  checkChoice('taskSupport', taskSupport, ['optional', 'required', 'forbidden']);
  checkChoice('interrupted', options.interrupted, ['fail', 'rerun']);
  if (options.use?.some((one) => typeof one !== 'function'))
    throw new TypeError('`use` contains a value that is not a middleware');
  const entry = withoutUndefined({
    name,
    title: options.title,
    description: options.description,
    inputSchema,
    outputSchema: output?.json,
    annotations: annotationsOf(options),
    execution: taskSupport && { taskSupport },
    icons: options.icons?.slice(),
    _meta: options._meta,
  }) as ToolEntry;
  return { name, tool, entry, input, output };
}

/** Throws for an option whose value is not one of these. */
function checkChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (value !== undefined && !choices.includes(value as string))
    throw new TypeError(`\`${name}\` must be one of ${choices.join(', ')}`);
}

const HINTS = [
  ['readOnly', 'readOnlyHint'],
  ['destructive', 'destructiveHint'],
  ['idempotent', 'idempotentHint'],
  ['openWorld', 'openWorldHint'],
] as const;

/** The annotations for lists; undefined if the author set none. */
function annotationsOf(options: ToolOptions<Schema | undefined, Schema | undefined>): ToolAnnotations | undefined {
  const said = HINTS.filter(([name]) => options[name] !== undefined);
  return said.length === 0 ? undefined : Object.fromEntries(said.map(([name, hint]) => [hint, options[name]]));
}
