import type { Content, Icon } from '../protocol/content.ts';
import type { JsonSchema, PromptArgument, PromptEntry } from '../protocol/entities.ts';
import { isObject } from '../protocol/jsonrpc.ts';
import type { Meta } from '../protocol/meta.ts';
import type { GetPromptResult, PromptMessage } from '../protocol/results.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import { shown } from '../protocol/text.ts';
import type { KnownOptions } from '../protocol/known-options.ts';
import { acceptedTypes } from '../schema/accepted-types.ts';
import { type AdaptedSchema, adaptSchema } from '../schema/adapt.ts';
import type { Hint, InferInput, Schema } from '../schema/schema.ts';
import type { Completer } from './completion.ts';
import type { CallContext } from './context.ts';
import { checkEntry, checkParts } from './check-options.ts';
import type { ParsedOf } from './tool.ts';
import type { Visible } from './visibility.ts';

type Awaitable<T> = T | Promise<T>;

/** The return value of a prompt handler: the text of one user message, blocks, messages, or the whole result. */
export type PromptResult = string | Content | readonly (Content | PromptMessage)[] | GetPromptResult;

/** The options of a prompt. */
export interface PromptOptions<In extends Schema | undefined = undefined> {
  /** The name to show to people. Default: the name of the prompt. */
  readonly title?: string;
  /** What the prompt is for, in words for people. */
  readonly description?: string;
  /**
   * An object schema with a member per argument. Clients send text: it is converted where the schema declares a number, a boolean or a list,
   * and stays text where that is allowed, too. Default: no arguments.
   */
  readonly input?: In;
  /** Completers, by argument. */
  readonly complete?: Readonly<Record<string, Completer>>;
  /** Icons to show to people, at `https:` or `data:` URIs. */
  readonly icons?: readonly Icon[];
  /** Metadata of the prompt, for programs that know the keys. */
  readonly _meta?: Meta;
  /** Which classes of callers may see and get it. Default: all. See `visibility` of the server. */
  readonly visible?: Visible;
  /** The OAuth scopes that the caller's token needs, over HTTP. See `scopes` of tools. */
  readonly scopes?: readonly string[];
}

/** Names of these options in other libraries: the compiler suggests the name to use. */
interface OtherNames {
  /** @deprecated It is called `input`. */
  readonly argsSchema?: Hint<'the schema of the arguments is the option `input`'>;
  /** @deprecated The arguments are generated from `input`. */
  readonly arguments?: Hint<'the arguments are described by the schema `input`'>;
}

/** A prompt: options and handler. Its name is the key under which it is added to a server. */
export interface Prompt<Arguments = unknown> {
  /** Always `prompt`. */
  readonly kind: 'prompt';
  /** The options as they were given. */
  readonly options: PromptOptions<Schema | undefined>;
  /** The handler as it was given. */
  readonly handler: (input: never, ctx: CallContext) => Awaitable<PromptResult>;
  /** @internal Prepares it for use under a name; throws if a client could not fill in its arguments. */
  readonly compile: (name: string) => CompiledPrompt;
  /** Exists only for types. */
  readonly types?: {
    /** The arguments as callers write them. */
    readonly arguments: Arguments;
  };
}

/** The arguments that a client sends: strings, which the schema converts. */
type ArgumentsOf<In> = In extends Schema ? { readonly [Name in keyof InferInput<In>]: string } : Record<string, never>;

/** A prompt that is ready for use. */
export interface CompiledPrompt {
  readonly name: string;
  readonly prompt: Prompt;
  readonly entry: PromptEntry;
  readonly input: AdaptedSchema | undefined;
}

/**
 * Makes a prompt. Clients send its arguments as text, and the handler gets them converted by its schema. Invalid options, and arguments
 * that cannot be written as text, throw a `DefinitionError` when the prompt is added to a server.
 *
 * @example
 * ```ts
 * import { prompt } from 'tenon';
 * import { z } from 'zod';
 *
 * const review = prompt({ description: 'Review code', input: z.object({ code: z.string() }) }, ({ code }) => `Review:\n${code}`);
 * ```
 */
export function prompt<const In extends Schema | undefined = undefined>(
  options: PromptOptions<In> & OtherNames,
  handler: (input: ParsedOf<In>, ctx: CallContext) => Awaitable<PromptResult>,
): Prompt<ArgumentsOf<In>> {
  const made: Prompt = {
    kind: 'prompt',
    options,
    handler: handler as Prompt['handler'],
    compile: (name) => compilePrompt(name, made),
  };
  return made as Prompt<ArgumentsOf<In>>;
}

const OPTIONS: KnownOptions<PromptOptions> = {
  title: 1,
  description: 1,
  input: 1,
  complete: 1,
  icons: 1,
  _meta: 1,
  visible: 1,
  scopes: 1,
};

function compilePrompt(name: string, prompt: Prompt): CompiledPrompt {
  const { options } = prompt;
  checkParts(prompt, OPTIONS);
  checkEntry(options);
  const input = options.input === undefined ? undefined : adaptSchema(options.input, 'input');
  const args = input === undefined ? undefined : promptArguments(input.json);
  if (input !== undefined) checkConvertible(input.json);
  for (const argument of Object.keys(options.complete ?? {})) {
    if (!args?.some((known) => known.name === argument))
      throw new TypeError(`it completes '${argument}', which is not an argument`);
  }
  const { title, description, icons, _meta } = options;
  const entry = withoutUndefined({
    name,
    title,
    description,
    arguments: args,
    icons: icons?.slice(),
    _meta,
  }) as PromptEntry;
  return { name, prompt, entry, input };
}

/** Clients send text, which becomes a number, a boolean, null or a list where the schema says so. Text cannot become an object. */
function checkConvertible(schema: JsonSchema): void {
  for (const [name, property] of Object.entries(schema['properties'] ?? {})) {
    if (acceptedTypes(property, schema).some((type) => type !== 'object')) continue;
    throw new TypeError(
      `its argument '${shown(name, 60)}' can never be given: clients send text, which may become a number, a boolean or a list, but no object`,
    );
  }
}

function promptArguments(schema: JsonSchema): PromptArgument[] {
  const properties = schema['properties'];
  if (schema['type'] !== 'object' || (properties !== undefined && !isObject(properties))) {
    throw new TypeError('the input schema of a prompt is an object with a property per argument');
  }
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  return Object.entries(properties ?? {}).map(([name, property]) => {
    const { title, description } = isObject(property) ? property : {};
    return withoutUndefined({
      name,
      title,
      description,
      required: required.has(name) ? true : undefined,
    }) as PromptArgument;
  });
}
