import type { Content, Icon } from '../protocol/content.ts';
import type { Meta } from '../protocol/meta.ts';
import type { GetPromptResult, PromptMessage } from '../protocol/results.ts';
import type { Schema } from '../schema/schema.ts';
import type { Completer } from './completion.ts';
import type { CallContext } from './context.ts';
import type { ParsedOf } from './tool.ts';
import type { Visible } from './visibility.ts';

type Awaitable<T> = T | Promise<T>;

/** What a prompt may give: the text of one user message, blocks, messages, or the whole result. */
export type Prompted = string | Content | readonly (Content | PromptMessage)[] | GetPromptResult;

/** Everything about a prompt but its handler. */
export interface PromptOptions<In extends Schema | undefined = undefined> {
  readonly title?: string;
  readonly description?: string;
  /** An object of strings: a client can only send strings. */
  readonly input?: In;
  /** Suggestions, by argument. */
  readonly complete?: Readonly<Record<string, Completer>>;
  readonly icons?: readonly Icon[];
  readonly meta?: Meta;
  readonly visible?: Visible;
}

/** A prompt: options and handler. It gets its name where it is put. */
export interface Prompt {
  readonly kind: 'prompt';
  readonly options: PromptOptions<Schema | undefined>;
  readonly handler: (input: never, ctx: CallContext) => Awaitable<Prompted>;
}

/**
 * Makes a prompt.
 *
 * @example
 * ```ts
 * const review = prompt({ description: 'Review code', input: z.object({ code: z.string() }) }, ({ code }) => `Review:\n${code}`);
 * ```
 */
export const prompt = <const In extends Schema | undefined = undefined>(
  options: PromptOptions<In>,
  handler: (input: ParsedOf<In>, ctx: CallContext) => Awaitable<Prompted>,
): Prompt => ({ kind: 'prompt', options, handler: handler as Prompt['handler'] });
