import { streamText } from 'ai';
import type { AssistantModelMessage, FinishReason, LanguageModel, LanguageModelUsage, ModelMessage, ToolSet } from 'ai';
import { waitFor } from '../values/wait-for.ts';
import { wellFormed } from '../values/well-formed.ts';
import { isObject } from '@tenon/values/is-object';
import { lostNumber } from './lost-number.ts';
import { modelErrorText } from './model-error.ts';

interface StepRequest {
  readonly model: LanguageModel;
  readonly system: string | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
  readonly retries: number;
  readonly signal: AbortSignal;
  /** The ids of all earlier calls. Some providers start counting again with every answer. */
  readonly takenIds: Set<string>;
  readonly onDelta: (type: 'text' | 'reasoning', text: string) => void;
}

/** A tool call as the model wrote it. */
export interface ModelCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** True if the arguments are not JSON. */
  readonly unreadable: boolean;
  /** A number whose value in `input` differs from the streamed arguments. Undefined if all agree, or if the provider does not stream arguments. */
  readonly lostNumber: string | undefined;
}

/** The answer of the model in one step. */
export interface StepOutcome {
  readonly text: string;
  /** The message of the model. Undefined if it is empty. Of an interrupted step, only its text. */
  readonly message: AssistantModelMessage | undefined;
  /** Empty if the step was interrupted, as its calls may be incomplete. */
  readonly calls: readonly ModelCall[];
  readonly usage: LanguageModelUsage | undefined;
  readonly finish: FinishReason | undefined;
  /** The error, in a sentence. */
  readonly error: string | undefined;
}

interface StreamedStep {
  text: string;
  calls: ModelCall[];
  usage: LanguageModelUsage | undefined;
  finish: FinishReason | undefined;
  error: string | undefined;
}

/** Sends one request to the model. Does not throw for failures of the model, nor when the signal aborts; throws what `onDelta` throws. */
export async function askModel(request: StepRequest): Promise<StepOutcome> {
  const step: StreamedStep = { text: '', calls: [], usage: undefined, finish: undefined, error: undefined };
  try {
    const result = stream(request);
    await readStream(result.stream, step, request);
    if (step.error !== undefined || !isWhole(step.finish)) return interruptedStep(step);
    const assistantMessage = (await waitFor(result.responseMessages, request.signal)).find(
      (each) => each.role === 'assistant',
    );
    const { message, calls } = sanitize(assistantMessage, step.calls, request.takenIds);
    return { ...step, message, calls };
  } catch (error) {
    if (error instanceof ListenerError) throw error.cause;
    if (!request.signal.aborted) step.error ??= modelErrorText(error);
    return interruptedStep(step);
  }
}

/** Wraps an exception of `onDelta`, which is not a failure of the model. */
class ListenerError extends Error {}

function stream({ model, system, messages, tools, retries, signal }: StepRequest) {
  return streamText({
    model,
    messages: [...messages],
    tools,
    maxRetries: retries,
    abortSignal: signal,
    // The caller of the run controls all messages, including system messages.
    allowSystemInMessages: true,
    instructions: system,
    // The error is also a part of the stream. The default handler writes it to the console.
    onError: () => {},
  });
}

type Stream = ReturnType<typeof stream>['stream'];

async function readStream(parts: Stream, step: StreamedStep, { signal, onDelta }: StepRequest): Promise<void> {
  const reader = parts.getReader();
  /** The arguments of the calls as the model writes them. */
  const written = new Map<string, string>();
  const tell = (type: 'text' | 'reasoning', text: string): void => {
    try {
      onDelta(type, text);
    } catch (error) {
      throw new ListenerError('onEvent threw an error', { cause: error });
    }
  };
  try {
    for (;;) {
      const { done, value: part } = await waitFor(reader.read(), signal);
      if (done) return;
      if (part.type === 'text-delta') {
        step.text += part.text;
        tell('text', part.text);
      } else if (part.type === 'reasoning-delta') tell('reasoning', part.text);
      else if (part.type === 'tool-input-start') written.set(part.id, '');
      else if (part.type === 'tool-input-delta') written.set(part.id, (written.get(part.id) ?? '') + part.delta);
      else if (part.type === 'tool-call' && !part.providerExecuted)
        step.calls.push(readCall(part, written.get(part.toolCallId)));
      else if (part.type === 'error') step.error ??= modelErrorText(part.error);
      else if (part.type === 'finish-step') {
        step.usage = part.usage;
        step.finish = part.finishReason;
      }
    }
  } finally {
    // Not awaited, because a hanging stream would block here.
    reader.cancel().catch(() => {});
  }
}

function readCall(
  part: { toolCallId: string; toolName: string; input: unknown; invalid?: boolean },
  written = '',
): ModelCall {
  return {
    id: part.toolCallId,
    tool: part.toolName,
    input: part.input,
    // A call of an unknown tool is also invalid, but its arguments were parsed.
    unreadable: part.invalid === true && typeof part.input === 'string',
    lostNumber: lostNumber(written),
  };
}

function isWhole(finish: FinishReason | undefined): boolean {
  return finish !== undefined && finish !== 'error' && finish !== 'interrupted' && finish !== 'content-filter';
}

/**
 * Keeps only the text. Incomplete reasoning has no signature, incomplete calls must not be made, and a provider does not know the ids of an
 * unfinished answer.
 */
function interruptedStep(step: StreamedStep): StepOutcome {
  const text = wellFormed(step.text);
  const message = text.trim() === '' ? undefined : ({ role: 'assistant', content: [{ type: 'text', text }] } as const);
  return { ...step, message: message && { ...message, content: [...message.content] }, calls: [] };
}

type Part = Exclude<AssistantModelMessage['content'], string>[number];

/** Fixes what providers would reject in later requests: blank text, arguments that are not objects, duplicate ids. */
function sanitize(
  assistantMessage: AssistantModelMessage | undefined,
  streamedCalls: readonly ModelCall[],
  taken: Set<string>,
): { message: AssistantModelMessage | undefined; calls: readonly ModelCall[] } {
  if (assistantMessage === undefined || typeof assistantMessage.content === 'string')
    return { message: assistantMessage, calls: [] };
  const calls: ModelCall[] = [];
  const content = assistantMessage.content.flatMap((part): Part[] => {
    if (part.type === 'text' && part.text.trim() === '' && part.providerOptions === undefined) return [];
    const call = streamedCalls[calls.length];
    if (part.type !== 'tool-call' || part.providerExecuted || !call) return [part];
    const id = freeId(call.id, taken);
    calls.push({ ...call, id });
    return [{ ...part, toolCallId: id, input: isObject(part.input) ? part.input : {} }];
  });
  const message = content.length === 0 ? undefined : { ...assistantMessage, content };
  // Removes members that are undefined.
  return { message: message && (JSON.parse(JSON.stringify(message)) as AssistantModelMessage), calls };
}

function freeId(preferred: string, taken: Set<string>): string {
  const base = preferred === '' ? 'call' : preferred;
  let id = base;
  for (let count = 2; taken.has(id); count += 1) id = `${base}-${count}`;
  taken.add(id);
  return id;
}
