import type { ModelMessage } from 'ai';
import type { HostTool } from '../registry/toolbox.ts';
import { leaveCalls, makeCalls } from './calls.ts';
import { count, estimateTokens } from './clip.ts';
import { startClock } from './clock.ts';
import type { Clock, Ending } from './clock.ts';
import { definitionTokens, toolSetOf } from './definitions.ts';
import { offerTools } from './discovery.ts';
import type { Offer } from './discovery.ts';
import { resultMessages } from './result-messages.ts';
import { settle } from './run-options.ts';
import type { Settled } from './run-options.ts';
import { askModel } from './step.ts';
import type { StepOutcome } from './step.ts';
import type { RunCall, RunOptions, RunResult, RunUsage } from './types.ts';
import { addUsage, NO_USAGE } from './usage.ts';
import { watchCalls } from './watch-calls.ts';

/** Where a run is. */
interface Course {
  messages: ModelMessage[];
  offer: Offer | undefined;
  steps: number;
  usage: RunUsage;
  text: string;
  readonly calls: RunCall[];
  readonly takenIds: Set<string>;
  readonly verdict: ReturnType<typeof watchCalls>;
}

/**
 * Lets a model answer, with the tools of a toolbox, until it is done or the budget is used up. Never throws for what the model or a
 * server does: that is in the result. Throws a TypeError for wrong options.
 */
export const runConversation = async (options: RunOptions): Promise<RunResult> => {
  const settled = settle(options);
  const clock = startClock(settled);
  const course: Course = {
    messages: settled.messages,
    offer: undefined,
    steps: 0,
    usage: NO_USAGE,
    text: '',
    calls: [],
    takenIds: new Set(callIdsIn(settled.messages)),
    verdict: watchCalls(),
  };
  try {
    let ending: Ending | undefined;
    while (ending === undefined) ending = clock.ending() ?? (await takeStep(course, settled, clock));
    const { steps, usage, text, messages, calls } = course;
    settled.onEvent({ type: 'end', ...ending, steps, usage });
    return { ...ending, text, messages, steps, usage, calls };
  } finally {
    clock.stop();
  }
};

/** One question to the model, and what it calls for. Gives the ending if it was the last one. */
const takeStep = async (course: Course, settled: Settled, clock: Clock): Promise<Ending | undefined> => {
  const { onEvent, toolbox, search } = settled;
  const offer = offerOf(toolbox.tools(), course, settled);
  course.offer = offer;
  course.steps += 1;
  onEvent({ type: 'step', step: course.steps, definitions: offer.mode });
  const said = await ask(course, offer, settled, clock);
  keep(course, said, offer);
  const ending = clock.ending() ?? endingOf(said, course, settled);
  if (said.calls.length === 0) return ending ?? (isSilent(said) ? SILENT : DONE);
  const answered = ending
    ? leaveCalls(said.calls, ending.reason ?? 'the run was over.')
    : await makeCalls(said.calls, {
        toolbox,
        offer,
        search,
        callMs: settled.budget.callMs,
        signal: clock.signal,
        onEvent,
      });
  const verdict = ending ? 'fine' : course.verdict(answered);
  course.messages.push(...resultMessages(answered, settled, verdict === 'tell'));
  course.calls.push(...answered.flatMap(({ made }) => made ?? []));
  return ending ?? clock.ending() ?? VERDICTS[verdict];
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
  course: Course,
  { model, discovery = 'auto', contextTokens }: Settled,
): Offer => {
  // OpenAI takes any name for an argument. Of others it is not known.
  const anyKeys = typeof model !== 'string' && model.provider.startsWith('openai.');
  return offerTools(tools, { mode: discovery, contextTokens, anyKeys, before: course.offer });
};

const ask = (course: Course, offer: Offer, { model, system, retries, onEvent }: Settled, { signal }: Clock) =>
  askModel({
    model,
    system,
    messages: course.messages,
    tools: toolSetOf(offer.definitions),
    retries,
    signal,
    takenIds: course.takenIds,
    onDelta: (type, text) => onEvent({ type, text }),
  });

const keep = (course: Course, said: StepOutcome, offer: Offer): void => {
  // A request that failed costs nothing.
  if (said.usage || said.message)
    course.usage = addUsage(course.usage, said.usage, () => sentTokens(course, offer), said.message);
  if (said.message) course.messages.push(said.message);
  if (said.text.trim() !== '') course.text = said.text;
};

const sentTokens = ({ messages }: Course, { definitions }: Offer): number =>
  estimateTokens(JSON.stringify(messages).length) + definitionTokens(definitions);

/** Why the run ends with this answer, if it does. */
const endingOf = (said: StepOutcome, course: Course, { budget }: Settled): Ending | undefined => {
  if (said.error !== undefined) return { end: 'model-error', reason: said.error };
  const broken = BROKEN.get(said.finish ?? 'interrupted');
  if (broken !== undefined) return { end: 'model-error', reason: broken };
  if (said.calls.length === 0) return said.finish === 'length' ? CUT_SHORT : undefined;
  const { tokens = Infinity, steps } = budget;
  if (course.usage.totalTokens >= tokens) {
    return { end: 'tokens', reason: `The run used up its ${count(tokens)} tokens.` };
  }
  if (course.steps < steps) return undefined;
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
