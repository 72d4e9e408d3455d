import type { ModelMessage } from 'ai';
import { attachmentParts } from './attachments.ts';
import { traitsOf } from './model-traits.ts';
import type { ModelTraits } from './model-traits.ts';
import { searchOver } from './search.ts';
import type { ConversationOptions, RunBudget, RunOptions, ToolSearch } from './types.ts';

const MODES = ['auto', 'all', 'search'];

/** The options with all defaults filled in. */
export interface ResolvedOptions extends ConversationOptions {
  readonly messages: ModelMessage[];
  readonly budget: RunBudget & { readonly steps: number; readonly calls: number };
  readonly contextTokens: number;
  readonly resultCharacters: number;
  readonly retries: number;
  readonly search: ToolSearch;
  readonly traits: ModelTraits;
  readonly onEvent: NonNullable<RunOptions['onEvent']>;
}

/** Validates the options and fills in defaults. Throws a TypeError that names the invalid option. */
export function resolveOptions(options: ConversationOptions): ResolvedOptions {
  check(options);
  const { budget = {}, contextTokens = 128_000, resultCharacters = 100_000, retries = 2 } = options;
  const traits = traitsOf(options.model, options.modelTraits);
  const messages = initialMessages({ ...options, resultCharacters }, traits);
  return {
    ...options,
    contextTokens,
    resultCharacters,
    retries,
    traits,
    search: options.search ?? searchOver(() => options.toolbox.tools()),
    budget: { ...budget, steps: budget.steps ?? 20, calls: budget.calls ?? 200 },
    messages,
    onEvent: options.onEvent ?? (() => {}),
  };
}

function check({
  model,
  messages,
  prompt,
  toolbox,
  discovery = 'auto',
  budget = {},
  ...rest
}: ConversationOptions): void {
  const isModel =
    typeof model === 'string' || typeof (model as { doStream?: unknown } | undefined)?.doStream === 'function';
  if (!isModel) throw new TypeError('"model" must be a language model of the AI SDK, or the name of one.');
  if (typeof toolbox?.tools !== 'function' || typeof toolbox.call !== 'function') {
    throw new TypeError('"toolbox" must have the functions tools and call, as a host has.');
  }
  if (messages !== undefined && !Array.isArray(messages)) throw new TypeError('"messages" must be a list.');
  if (prompt !== undefined && typeof prompt !== 'string') throw new TypeError('"prompt" must be a string.');
  if (!prompt && !messages?.length)
    throw new TypeError('Set "messages" or "prompt", so that there is something to answer.');
  if (!MODES.includes(discovery)) throw new TypeError(`"discovery" must be one of ${MODES.join(', ')}.`);
  const { steps, calls, tokens, callMs, totalMs } = budget;
  for (const [name, value] of Object.entries({ steps, calls, tokens })) wholeNumber(`budget.${name}`, value, 1);
  for (const [name, value] of Object.entries({ 'budget.callMs': callMs, 'budget.totalMs': totalMs }))
    milliseconds(name, value);
  wholeNumber('contextTokens', rest.contextTokens, 1);
  wholeNumber('resultCharacters', rest.resultCharacters, 1);
  wholeNumber('retries', rest.retries, 0);
}

function wholeNumber(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return;
  throw new TypeError(`"${name}" must be an integer of at least ${least}, not ${value}.`);
}

/** The maximum delay of Node's timers. A longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

function milliseconds(name: string, value: number | undefined): void {
  if (value === undefined || (value > 0 && value <= MAX_TIMER_MS)) return;
  throw new TypeError(`"${name}" must be more than 0 and at most ${MAX_TIMER_MS} milliseconds, not ${value}.`);
}

/** The initial messages: the given ones, the attachments before the last message of the person, and the prompt. */
function initialMessages(
  { messages = [], prompt, attachments = [], resultCharacters }: RunOptions,
  traits: ModelTraits,
): ModelMessage[] {
  const conversation: ModelMessage[] = prompt ? [...messages, { role: 'user', content: prompt }] : [...messages];
  if (attachments.length === 0) return conversation;
  const parts = attachments.flatMap((attachment) => attachmentParts(attachment, traits, resultCharacters));
  const last = conversation.at(-1);
  if (last?.role !== 'user') return [...conversation, { role: 'user', content: parts }];
  const content = typeof last.content === 'string' ? [{ type: 'text' as const, text: last.content }] : last.content;
  return [...conversation.slice(0, -1), { ...last, content: [...parts, ...content] }];
}
