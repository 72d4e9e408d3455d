import type { ModelMessage } from 'ai';
import type { HostTool } from '../registry/toolbox.ts';
import { skipCalls, makeCalls } from './calls.ts';
import { formatCount, estimateTokens } from './clip.ts';
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
import type { ConversationOptions, RunCall, RunResult, RunUsage } from './types.ts';
import { addUsage, NO_USAGE } from './usage.ts';
import { createLoopDetector } from './loop-detector.ts';

/** The state of a run. */
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
 * Lets a model answer with the tools of a toolbox, until it is done or the budget is used up. Failures of the model or a server are in the
 * result. Throws only a TypeError for invalid options.
 */
export async function runConversation(runOptions: ConversationOptions): Promise<RunResult> {
  const options = resolveOptions(runOptions);
  const timer = startRunTimer(options);
  const state: RunState = {
    messages: options.messages,
    offer: undefined,
    steps: 0,
    usage: NO_USAGE,
    text: '',
    calls: [],
    takenIds: new Set(callIdsOf(options.messages)),
    detectLoop: createLoopDetector(),
  };
  try {
    let ending: Ending | undefined;
    while (ending === undefined) {
      await options.toolbox.toolsSettled?.(timer.signal);
      ending = timer.ending() ?? (await runStep(state, options, timer));
    }
    const { steps, usage, text, messages, calls } = state;
    options.onEvent({ type: 'end', ...ending, steps, usage });
    return { ...ending, text, messages, steps, usage, calls };
  } finally {
    timer.stop();
  }
}

/** One request to the model, and the calls in its answer. Returns the ending if it was the last step. */
async function runStep(state: RunState, options: ResolvedOptions, timer: RunTimer): Promise<Ending | undefined> {
  const { onEvent, toolbox, search } = options;
  const offer = offerOf(toolbox.tools(), state, options);
  state.offer = offer;
  state.steps += 1;
  onEvent({ type: 'step', step: state.steps, definitions: offer.mode });
  const outcome = await ask(state, offer, options, timer);
  recordStep(state, outcome, offer);
  const ending = timer.ending() ?? endingOf(outcome, state, options);
  if (outcome.calls.length === 0) return ending ?? (isSilent(outcome) ? SILENT : DONE);
  const { callMs, calls: most } = options.budget;
  const left = ending ? 0 : most - state.calls.length;
  const allowed = outcome.calls.slice(0, left);
  const over = outcome.calls.slice(left);
  const last = ending ?? (over.length === 0 ? undefined : callsUsedUp(most));
  const made = await makeCalls(allowed, { toolbox, offer, search, callMs, signal: timer.signal, onEvent });
  const answered = [...made, ...skipCalls(over, last?.reason ?? 'the run was over.')];
  const verdict = last ? 'fine' : state.detectLoop(answered);
  state.messages.push(...resultMessages(answered, options, verdict === 'tell'));
  state.calls.push(...answered.flatMap((each) => each.made ?? []));
  return last ?? timer.ending() ?? VERDICTS[verdict];
}

function callsUsedUp(most: number): Ending {
  return { end: 'calls', reason: `The run used up its ${formatCount(most)} ${most === 1 ? 'call' : 'calls'}.` };
}

const DONE: Ending = { end: 'done' };
const SILENT: Ending = { end: 'done', reason: 'The model gave no answer.' };

/** Whether an answer has no visible content. */
function isSilent({ text, message }: StepOutcome): boolean {
  return (
    text.trim() === '' &&
    (message === undefined ||
      typeof message.content === 'string' ||
      message.content.every(({ type }) => type === 'text' || type === 'reasoning'))
  );
}

const VERDICTS: { readonly [verdict: string]: Ending | undefined } = {
  stuck: { end: 'stuck', reason: 'The model repeated the same call, with the same result.' },
  malformed: { end: 'model-error', reason: 'The model wrote invalid calls several times in a row.' },
};

function offerOf(
  tools: readonly HostTool[],
  state: RunState,
  { model, discovery = 'auto', contextTokens }: ResolvedOptions,
): Offer {
  // OpenAI accepts any name of an argument. Other providers may not.
  const anyKeys = typeof model !== 'string' && model.provider.startsWith('openai.');
  return offerTools(tools, { mode: discovery, contextTokens, anyKeys, before: state.offer });
}

function ask(
  state: RunState,
  offer: Offer,
  { model, system, retries, onEvent }: ResolvedOptions,
  { signal }: RunTimer,
) {
  return askModel({
    model,
    system,
    messages: state.messages,
    tools: toolSetOf(offer.definitions),
    retries,
    signal,
    takenIds: state.takenIds,
    onDelta: (type, text) => onEvent({ type, text }),
  });
}

function recordStep(state: RunState, outcome: StepOutcome, offer: Offer): void {
  // A failed request uses no tokens.
  if (outcome.usage || outcome.message)
    state.usage = addUsage(state.usage, outcome.usage, () => sentTokens(state, offer), outcome.message);
  if (outcome.message) state.messages.push(outcome.message);
  if (outcome.text.trim() !== '') state.text = outcome.text;
}

function sentTokens({ messages }: RunState, { definitions }: Offer): number {
  return estimateTokens(JSON.stringify(messages).length) + definitionTokens(definitions);
}

/** The ending of the run, if this answer is the last. */
function endingOf(outcome: StepOutcome, state: RunState, { budget }: ResolvedOptions): Ending | undefined {
  if (outcome.error !== undefined) return { end: 'model-error', reason: outcome.error };
  const broken = BROKEN.get(outcome.finish ?? 'interrupted');
  if (broken !== undefined) return { end: 'model-error', reason: broken };
  if (outcome.calls.length === 0) return outcome.finish === 'length' ? CUT_SHORT : undefined;
  const { tokens = Infinity, steps } = budget;
  if (state.usage.totalTokens >= tokens) {
    return { end: 'tokens', reason: `The run used up its ${formatCount(tokens)} tokens.` };
  }
  if (state.steps < steps) return undefined;
  return {
    end: 'steps',
    reason: `The model did not finish in ${formatCount(steps)} ${steps === 1 ? 'step' : 'steps'}.`,
  };
}

const BROKEN = new Map([
  ['error', 'The model stopped with an error.'],
  ['interrupted', 'The connection to the model ended in the middle of its answer.'],
  ['content-filter', 'The provider of the model stopped the answer with its content filter.'],
]);

const CUT_SHORT: Ending = {
  end: 'tokens',
  reason: 'The answer reached the output token limit of the model.',
};

function callIdsOf(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.role !== 'assistant' || typeof message.content === 'string') return [];
    return message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
  });
}
