import type { ModelMessage } from 'ai';
import type { HostTool } from '../registry/toolbox.ts';
import { skipCalls, makeCalls } from './calls.ts';
import { count, estimateTokens } from './clip.ts';
import { startRunTimer } from './run-timer.ts';
import type { RunTimer, Ending } from './run-timer.ts';
import { definitionTokens, toolSetOf } from './definitions.ts';
import { offerTools } from './discovery.ts';
import type { Offer } from './discovery.ts';
import { resultMessages } from './result-messages.ts';
import { resolveOptions } from './run-options.ts';
import type { ResolvedOptions } from './run-options.ts';
import { askModel } from './step.ts';
import type { StepOutcome } from './step.ts';
import type { RunCall, RunOptions, RunResult, RunUsage } from './types.ts';
import { addUsage, NO_USAGE } from './usage.ts';
import { createLoopDetector } from './loop-detector.ts';

/** Where a run is. */
interface RunState {
  messages: ModelMessage[];
  offer: Offer | undefined;
  steps: number;
  usage: RunUsage;
  text: string;
  readonly calls: RunCall[];
  readonly takenIds: Set<string>;
  readonly detectLoop: ReturnType<typeof createLoopDetector>;
}

/**
 * Lets a model answer, with the tools of a toolbox, until it is done or the budget is used up. Never throws for what the model or a
 * server does: that is in the result. Throws a TypeError for wrong options.
 */
export const runConversation = async (runOptions: RunOptions): Promise<RunResult> => {
  const options = resolveOptions(runOptions);
  const timer = startRunTimer(options);
  const state: RunState = {
    messages: options.messages,
    offer: undefined,
    steps: 0,
    usage: NO_USAGE,
    text: '',
    calls: [],
    takenIds: new Set(callIdsIn(options.messages)),
    detectLoop: createLoopDetector(),
  };
  try {
    let ending: Ending | undefined;
    while (ending === undefined) ending = timer.ending() ?? (await runStep(state, options, timer));
    const { steps, usage, text, messages, calls } = state;
    options.onEvent({ type: 'end', ...ending, steps, usage });
    return { ...ending, text, messages, steps, usage, calls };
  } finally {
    timer.stop();
  }
};

/** One question to the model, and what it calls for. Gives the ending if it was the last one. */
const runStep = async (state: RunState, options: ResolvedOptions, timer: RunTimer): Promise<Ending | undefined> => {
  const { onEvent, toolbox, search } = options;
  const offer = offerOf(toolbox.tools(), state, options);
  state.offer = offer;
  state.steps += 1;
  onEvent({ type: 'step', step: state.steps, definitions: offer.mode });
  const outcome = await ask(state, offer, options, timer);
  recordStep(state, outcome, offer);
  const ending = timer.ending() ?? endingOf(outcome, state, options);
  if (outcome.calls.length === 0) return ending ?? (isSilent(outcome) ? SILENT : DONE);
  const answered = ending
    ? skipCalls(outcome.calls, ending.reason ?? 'the run was over.')
    : await makeCalls(outcome.calls, {
        toolbox,
        offer,
        search,
        callMs: options.budget.callMs,
        signal: timer.signal,
        onEvent,
      });
  const verdict = ending ? 'fine' : state.detectLoop(answered);
  state.messages.push(...resultMessages(answered, options, verdict === 'tell'));
  state.calls.push(...answered.flatMap(({ made }) => made ?? []));
  return ending ?? timer.ending() ?? VERDICTS[verdict];
};

const DONE: Ending = { end: 'done' };
const SILENT: Ending = { end: 'done', reason: 'The model said nothing.' };

/** Is there nothing in an answer that anybody could see? */
const isSilent = ({ text, message }: StepOutcome): boolean =>
  text.trim() === '' &&
  (message === undefined ||
    typeof message.content === 'string' ||
    message.content.every(({ type }) => type === 'text' || type === 'reasoning'));

const VERDICTS: { readonly [verdict: string]: Ending | undefined } = {
  stuck: { end: 'stuck', reason: 'The model made the same call again and again, with the same result.' },
  malformed: { end: 'model-error', reason: 'The model wrote calls that cannot be made, several times in a row.' },
};

const offerOf = (
  tools: readonly HostTool[],
  state: RunState,
  { model, discovery = 'auto', contextTokens }: ResolvedOptions,
): Offer => {
  // OpenAI takes any name for an argument. Of others it is not known.
  const anyKeys = typeof model !== 'string' && model.provider.startsWith('openai.');
  return offerTools(tools, { mode: discovery, contextTokens, anyKeys, before: state.offer });
};

const ask = (
  state: RunState,
  offer: Offer,
  { model, system, retries, onEvent }: ResolvedOptions,
  { signal }: RunTimer,
) =>
  askModel({
    model,
    system,
    messages: state.messages,
    tools: toolSetOf(offer.definitions),
    retries,
    signal,
    takenIds: state.takenIds,
    onDelta: (type, text) => onEvent({ type, text }),
  });

const recordStep = (state: RunState, outcome: StepOutcome, offer: Offer): void => {
  // A request that failed costs nothing.
  if (outcome.usage || outcome.message)
    state.usage = addUsage(state.usage, outcome.usage, () => sentTokens(state, offer), outcome.message);
  if (outcome.message) state.messages.push(outcome.message);
  if (outcome.text.trim() !== '') state.text = outcome.text;
};

const sentTokens = ({ messages }: RunState, { definitions }: Offer): number =>
  estimateTokens(JSON.stringify(messages).length) + definitionTokens(definitions);

/** Why the run ends with this answer, if it does. */
const endingOf = (outcome: StepOutcome, state: RunState, { budget }: ResolvedOptions): Ending | undefined => {
  if (outcome.error !== undefined) return { end: 'model-error', reason: outcome.error };
  const broken = BROKEN.get(outcome.finish ?? 'interrupted');
  if (broken !== undefined) return { end: 'model-error', reason: broken };
  if (outcome.calls.length === 0) return outcome.finish === 'length' ? CUT_SHORT : undefined;
  const { tokens = Infinity, steps } = budget;
  if (state.usage.totalTokens >= tokens) {
    return { end: 'tokens', reason: `The run used up its ${count(tokens)} tokens.` };
  }
  if (state.steps < steps) return undefined;
  return {
    end: 'steps',
    reason: `The model did not come to an end in ${count(steps)} ${steps === 1 ? 'step' : 'steps'}.`,
  };
};

const BROKEN = new Map([
  ['error', 'The model broke off with an error.'],
  ['interrupted', 'The connection to the model ended in the middle of its answer.'],
  ['content-filter', 'The provider of the model stopped the answer with its content filter.'],
]);

const CUT_SHORT: Ending = {
  end: 'tokens',
  reason: 'The answer reached the most tokens that the model writes at a time.',
};

const callIdsIn = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap((message) => {
    if (message.role !== 'assistant' || typeof message.content === 'string') return [];
    return message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
  });
