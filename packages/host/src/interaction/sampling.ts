import { randomUUID } from 'node:crypto';
import type { ModelMessage } from 'ai';
import { CODE, ProtocolError, type SampleContext, type SampleParams, type SampleResult } from 'tenon/client';
import type { Decision, Item } from '../pending/item.ts';
import { requestProblem, withoutNulls } from '../pending/sample-check.ts';
import { wellFormed } from '../values/well-formed.ts';
import { chooseModel, nameOfModel, type OfferedModel } from './models.ts';

export interface SamplingOptions {
  readonly server: string;
  readonly models: readonly [OfferedModel, ...OfferedModel[]];
  /** Maximum tokens of one response. */
  readonly maxTokens: number;
  /** Maximum requests of this server per minute. */
  readonly perMinute: number;
  /** Decides about a request or response. `standing`: the decision about the request holds for longer, so the response is not reviewed. */
  review(item: Item, signal: AbortSignal): Promise<Decision & { readonly standing?: boolean }>;
  now(): number;
  /** Reports why a request was refused. */
  reportProblem(message: string): void;
}

type Block = SampleResult['content'] extends (infer B)[] | (infer B) ? B : never;

/** Blocks other than text and images were refused before. */
function textOf(block: Block): string {
  return wellFormed(block.type === 'text' ? block.text : '');
}

function partOf(block: Block) {
  return block.type === 'image'
    ? { type: 'file' as const, data: block.data, mediaType: block.mimeType }
    : { type: 'text' as const, text: textOf(block) };
}

function messagesOf({ messages }: SampleParams): ModelMessage[] {
  return messages.map(({ role, content }): ModelMessage => {
    const blocks = [content].flat() as Block[];
    return role === 'user'
      ? { role, content: blocks.map(partOf) }
      : { role, content: blocks.map((block) => ({ type: 'text' as const, text: textOf(block) })) };
  });
}

const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ['stop', 'endTurn'],
  ['length', 'maxTokens'],
  ['stop-sequence', 'stopSequence'],
]);

async function askModel(offered: OfferedModel, params: SampleParams, signal: AbortSignal): Promise<SampleResult> {
  const { generateText } = await import('ai');
  const { systemPrompt, temperature, stopSequences, maxTokens } = params;
  const { text, finishReason } = await generateText({
    model: offered.model,
    messages: messagesOf(params),
    maxOutputTokens: maxTokens,
    abortSignal: signal,
    system: systemPrompt === undefined ? undefined : wellFormed(systemPrompt),
    temperature,
    stopSequences: stopSequences?.map(wellFormed),
  });
  const stopReason: unknown = STOP_REASONS.get(finishReason) ?? finishReason;
  return {
    role: 'assistant',
    content: { type: 'text', text },
    model: nameOfModel(offered),
    // A custom model of the program may return anything here.
    stopReason: typeof stopReason === 'string' ? stopReason : undefined,
  };
}

const MINUTE_MS = 60_000;

/** Handles sampling requests, with a review of each request and response ("Sampling", human in the loop). */
export function createSampler(options: SamplingOptions) {
  const { server, models, review, now } = options;
  let requestTimes: number[] = [];

  const overLimit = (): boolean => {
    requestTimes = requestTimes.filter((time) => time > now() - MINUTE_MS);
    if (requestTimes.length >= options.perMinute) return true;
    requestTimes.push(now());
    return false;
  };

  /** Limits the tokens of a request. Providers require an integer. */
  const bounded = (request: SampleParams): SampleParams => ({
    ...withoutNulls(request),
    maxTokens: Math.min(Math.floor(request.maxTokens), options.maxTokens),
  });

  return async (params: SampleParams, { signal, reject }: SampleContext): Promise<SampleResult> => {
    const wrong = requestProblem({ ...params });
    if (wrong !== undefined) {
      options.reportProblem(`A sampling request was refused: ${wrong}`);
      throw new ProtocolError(CODE.invalidParams, wrong);
    }
    if (overLimit()) reject(`More than ${options.perMinute} sampling requests per minute`);
    const request = bounded(params);
    const offered = chooseModel(models, request.modelPreferences);
    const itemBase = (): { id: string; at: number; server: string; warnings: string[] } => ({
      id: randomUUID(),
      at: now(),
      server,
      warnings: [],
    });
    const requestReview = await review({ kind: 'sample', ...itemBase(), request, model: nameOfModel(offered) }, signal);
    if (!requestReview.allow) reject(requestReview.reason);
    const reviewedRequest = bounded(requestReview.request ?? request);
    const result = await askModel(offered, reviewedRequest, signal);
    if (requestReview.standing === true) return result;
    const resultReview = await review({ kind: 'sampled', ...itemBase(), request: reviewedRequest, result }, signal);
    if (!resultReview.allow) reject(resultReview.reason);
    return resultReview.result ?? result;
  };
}
