// Sends requests: waits for limits, repeats what is harmless, and keeps what may be used again.
import { ApiError, describeRefusal, MAY_BE_CHANGED } from './api-error.ts';
import { type ApiLimits, type ApiOptions, DEFAULT_LIMITS } from './api-options.ts';
import { type ApiClock, systemClock } from './clock.ts';
import { exchange, isRead as isReadByMethod, type OutgoingRequest } from './exchange.ts';
import { doubling, Pauses, waitByStatus, type WaitRule } from './rate-limits.ts';
import { ReplyCache, type WholeReply } from './reply-cache.ts';
import { createSlots, type Slots } from './slots.ts';
import { addBearer, type Authorizable, secretsOf } from './token.ts';

/** The options, with their defaults, and the state of all requests to one service. */
interface Sender extends ApiOptions {
  readonly base: URL;
  readonly limits: ApiLimits;
  readonly waitFor: WaitRule;
  readonly limitOf: (url: URL) => string;
  readonly isRead: NonNullable<ApiOptions['isRead']>;
  readonly clock: ApiClock;
  readonly pauses: Pauses;
  readonly cache: ReplyCache;
  readonly slots: Slots;
}

/** How many requests may wait for others to end. */
const MAX_WAITING = 100;

/** The call that a request is made for. */
export interface SendContext {
  readonly signal: AbortSignal;
  report(message: string): Promise<void>;
}

/** A request without an answer. */
class LostRequest extends ApiError {}

/** Statuses of a failure that may be over soon. */
const TEMPORARY = new Set([500, 502, 503, 504]);
/** Statuses for which a missing token can be the reason. */
const UNAUTHORIZED = new Set([401, 403, 404, 429]);

function nameOf({ method, url }: OutgoingRequest): string {
  return `${method} ${url.pathname}`;
}

function textOf({ bytes }: WholeReply): string {
  return Buffer.from(bytes).toString();
}

/** Throws if a request must not be sent. */
function checkRequest({ base, service, token, isRead }: Sender, request: OutgoingRequest): void {
  if (request.url.origin !== base.origin)
    throw new Error(`A request to ${request.url.origin}, which is not ${service}`);
  if (token !== undefined && token.value === undefined && !(isRead(request) && token.isOptionalToRead === true))
    throw new ApiError(`${nameOf(request)} needs a token. ${token.help}`, 401);
}

function refusalOf(sender: Sender, request: OutgoingRequest, reply: WholeReply): ApiError {
  const { service, token, noteOn, statusOf, isRead } = sender;
  const { status, headers } = reply;
  const body = textOf(reply);
  const lacksToken = token !== undefined && token.value === undefined;
  const notes = [noteOn?.(headers, status, body), lacksToken && UNAUTHORIZED.has(status) ? token.help : undefined];
  const what = nameOf(request);
  const isSent = statusOf === undefined;
  return new ApiError(describeRefusal({ service, what, status, isRead: isRead(request), isSent, body, notes }), status);
}

/** Sends a request once. Throws a `LostRequest` if there is no answer. */
async function attempt(sender: Sender, request: OutgoingRequest, signal: AbortSignal): Promise<WholeReply> {
  const { service, limits, token, statusOf, isRead } = sender;
  const limit = AbortSignal.timeout(limits.timeoutMs);
  const authorize = (to: Authorizable): void => {
    if (token?.value !== undefined) (token.add ?? addBearer)(token.value, to);
  };
  const either = AbortSignal.any([signal, limit]);
  try {
    const reply = await exchange(request, { ...limits, service, signal: either, secrets: secretsOf(token), authorize });
    return statusOf === undefined ? reply : { ...reply, status: statusOf(reply) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError) throw error;
    const reason = limit.aborted
      ? `no answer within ${limits.timeoutMs / 1_000} seconds`
      : 'no connection, or it was lost';
    const advice = isRead(request) ? 'Try again later.' : MAY_BE_CHANGED;
    throw new LostRequest(`${nameOf(request)}: ${service} could not be reached (${reason}). ${advice}`);
  }
}

/** Waits until the service accepts requests again. Throws if that is later than the deadline. */
async function waitForLimit(sender: Sender, request: OutgoingRequest, deadline: number, context: SendContext) {
  const { service, clock, pauses, limitOf } = sender;
  const limit = limitOf(request.url);
  if (clock.now() + pauses.rest(limit) > deadline) {
    const end = new Date(pauses.end(limit)).toISOString();
    throw new ApiError(`${service} limits requests, and accepts the next one at ${end}. Wait until then.`, 429);
  }
  const report = (seconds: number) => context.report(`${service} limits requests: waiting ${seconds} s`);
  await pauses.wait(limit, context.signal, report);
}

/** Sends a request until it succeeds, or fails for good. */
async function sendUntilAnswered(sender: Sender, request: OutgoingRequest, context: SendContext): Promise<WholeReply> {
  const { service, clock, limits, pauses, waitFor, limitOf, isRead, slots } = sender;
  const deadline = clock.now() + limits.maxWaitMs;
  for (let refused = 0, failed = 0; ;) {
    await waitForLimit(sender, request, deadline, context);
    const release = await slots(context.signal);
    // The service may have refused another request meanwhile.
    if (pauses.rest(limitOf(request.url)) > 0) {
      release();
      continue;
    }
    const mayRepeat = isRead(request) && failed < limits.retries;
    const reply = await attempt(sender, request, context.signal)
      .catch((error: unknown) => {
        if (error instanceof LostRequest && mayRepeat) return undefined;
        throw error;
      })
      .finally(release);
    if (reply !== undefined) {
      const { status, headers } = reply;
      const isKept = status === 304 && request.headers.has('if-none-match');
      if (isKept || (status >= 200 && status < 300)) return reply;
      const wait = waitFor({ status, headers, body: textOf(reply), attempt: refused, now: clock.now() });
      if (wait !== undefined) {
        refused++;
        pauses.add(limitOf(request.url), wait);
        continue;
      }
      if (!mayRepeat || !TEMPORARY.has(status)) throw refusalOf(sender, request, reply);
    }
    await context.report(`${service} has a problem: trying again`);
    await clock.sleep(doubling(1_000, failed++), context.signal);
  }
}

/** Sends a request and gives a success: a new answer, or the kept one if the service says that nothing has changed. */
async function send(sender: Sender, request: OutgoingRequest, context: SendContext): Promise<WholeReply> {
  checkRequest(sender, request);
  if (request.method !== 'GET') return sendUntilAnswered(sender, request, context);
  const key = `${request.url.href} ${request.headers.get('accept')}`;
  const kept = sender.cache.get(key);
  if (kept !== undefined) request.headers.set('if-none-match', kept.headers.get('etag')!);
  const reply = await sendUntilAnswered(sender, request, context);
  if (reply.status === 304) {
    if (kept === undefined) throw refusalOf(sender, request, reply);
    return kept;
  }
  sender.cache.put(key, reply);
  return reply;
}

/** Makes a function that sends requests to a service. It rejects with an `ApiError` if the answer is not a success. */
export function createSender(options: ApiOptions) {
  const clock = options.clock ?? systemClock;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const full = () =>
    new ApiError(`Too many requests to ${options.service} are waiting. Call again when some have ended.`);
  const sender: Sender = {
    ...options,
    base: baseOf(options),
    limits,
    slots: createSlots(limits.concurrency, { maxWaiting: MAX_WAITING, maxWaitMs: limits.maxWaitMs }, full),
    waitFor: options.waitFor ?? waitByStatus,
    limitOf: options.limitOf ?? (() => ''),
    isRead: options.isRead ?? isReadByMethod,
    clock,
    pauses: new Pauses(clock),
    cache: new ReplyCache(),
  };
  return (request: OutgoingRequest, context: SendContext): Promise<WholeReply> => send(sender, request, context);
}

/** The address that paths are relative to. */
export function baseOf({ url }: Pick<ApiOptions, 'url'>): URL {
  return new URL(String(url).replace(/\/*$/, '/'));
}
