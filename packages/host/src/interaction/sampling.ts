import { randomUUID } from 'node:crypto';
import { CODE, ProtocolError, type SampleContext, type SampleParams, type SampleResult } from 'tenon/client';
import type { Decision, Item } from '../pending/item.ts';
import { hasAudio, requestProblem, withoutNulls } from '../pending/sample-check.ts';
import { truncate } from '../values/plain-text.ts';
import { chooseModel, nameOfModel, type OfferedModel } from './models.ts';
import { askModel } from './sampling-model.ts';

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
  /** Returns the context that a request asks for. */
  context(which: 'thisServer' | 'allServers', signal: AbortSignal): Promise<string | undefined>;
  /** Reports why a request was refused. */
  reportProblem(message: string): void;
}

/** Maximum characters of context. */
const MAX_CONTEXT = 100_000;

const MINUTE_MS = 60_000;

/** Handles sampling requests, with a review of each request and response ("Sampling", human in the loop). */
export function createSampler(options: SamplingOptions) {
  const { server, models, review, now } = options;
  let requestTimes: number[] = [];

  const overLimit = (): boolean => {
    // Measured with the monotonic clock, because the system clock may be set.
    const time = performance.now();
    requestTimes = requestTimes.filter((earlier) => earlier > time - MINUTE_MS);
    if (requestTimes.length >= options.perMinute) return true;
    requestTimes.push(time);
    return false;
  };

  /** Limits the tokens of a request. Providers require an integer. */
  const bounded = (request: SampleParams): SampleParams => ({
    ...withoutNulls(request),
    maxTokens: Math.min(Math.floor(request.maxTokens), options.maxTokens),
  });

  const refuse = (why: string): never => {
    options.reportProblem(`A sampling request was refused: ${why}`);
    throw new ProtocolError(CODE.invalidParams, why);
  };

  const modelFor = (request: SampleParams): OfferedModel => {
    const [first, ...others] = hasAudio(request) ? models.filter(({ audio }) => audio === true) : models;
    return first === undefined
      ? refuse('it contains a recording, and no model of this host takes recordings')
      : chooseModel([first, ...others], request.modelPreferences);
  };

  const contextOf = async ({ includeContext = 'none' }: SampleParams, signal: AbortSignal) => {
    const context = includeContext === 'none' ? undefined : await options.context(includeContext, signal);
    return context === undefined || context === '' ? undefined : truncate(context, MAX_CONTEXT);
  };

  return async (params: SampleParams, { signal, reject }: SampleContext): Promise<SampleResult> => {
    const wrong = requestProblem({ ...params });
    if (wrong !== undefined) return refuse(wrong);
    if (overLimit()) reject(`More than ${options.perMinute} sampling requests per minute`);
    const request = bounded(params);
    const suggested = modelFor(request);
    const context = await contextOf(request, signal);
    const itemBase = (): { id: string; at: number; server: string; warnings: string[] } => ({
      id: randomUUID(),
      at: now(),
      server,
      warnings: [],
    });
    const requestReview = await review(
      { kind: 'sample', ...itemBase(), request, model: nameOfModel(suggested), context },
      signal,
    );
    if (!requestReview.allow) reject(requestReview.reason);
    const reviewedRequest = bounded(requestReview.request ?? request);
    // The person may have added audio, but not asked for more context than was shown.
    const offered = hasAudio(reviewedRequest) && suggested.audio !== true ? modelFor(reviewedRequest) : suggested;
    const isWanted = (reviewedRequest.includeContext ?? 'none') !== 'none';
    const result = await askModel(offered, reviewedRequest, isWanted ? context : undefined, signal);
    if (requestReview.standing === true) return result;
    const resultReview = await review({ kind: 'sampled', ...itemBase(), request: reviewedRequest, result }, signal);
    if (!resultReview.allow) reject(resultReview.reason);
    return resultReview.result ?? result;
  };
}
