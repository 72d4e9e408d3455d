import type { ErrorCode } from '../values/error-codes.ts';
import type { Facts } from '../trace/facts.ts';
import type { SessionHead, TraceLine } from '../trace/line.ts';
import type { Trace } from '../trace/node/open-trace.ts';
import { counted } from '@tenon/values/counted';

/** The parts of a trace that are needed to replay it. */
export type Recorded = Pick<Trace, 'index' | 'read'> & Partial<Pick<Trace, 'file'>>;

/** The trace, or the requested session, cannot be used. The message says what to do. */
export class ConversationError extends Error {
  /** Always `ConversationError`. */
  override readonly name = 'ConversationError';
  /** Stable: docs/errors.md lists the codes. */
  readonly code: ErrorCode<'ConversationError'>;

  constructor(code: ErrorCode<'ConversationError'>, message: string) {
    super(message);
    this.code = code;
  }
}

/** One session of a trace: its messages, in order. */
export interface Conversation {
  readonly session: string;
  /** The file of the trace, if it has one. */
  readonly file: string | undefined;
  readonly about: SessionHead | undefined;
  /** The messages, without their texts. */
  readonly messages: readonly Facts[];
  /** The text of one of them. */
  text(n: number): string;
  line(n: number): TraceLine;
  /** The facts of any line of the trace. */
  at(n: number): Facts | undefined;
}

/**
 * The sessions of a trace with requests of a client, and the number of these requests. The trace must be indexed.
 *
 * @example
 * ```ts
 * import { openTrace, sessionsIn } from '@tenon/inspector/trace';
 *
 * const trace = await openTrace('weather.mcptrace');
 * await trace.indexed;
 * for (const [session, requests] of sessionsIn(trace)) console.error(session, requests);
 * ```
 */
export function sessionsIn({ index }: Pick<Recorded, 'index'>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { session, from, message } of index.all)
    if (from === 'client' && message === 'request') found.set(session, (found.get(session) ?? 0) + 1);
  return found;
}

function chosen(trace: Recorded, wanted: string | undefined): string {
  const sessions = sessionsIn(trace);
  const names = [...sessions].map(([name, count]) => `${name} (${counted(count, 'request')})`).join(', ');
  if (sessions.size === 0) throw new ConversationError('no-request', 'The trace has no request of a client');
  if (wanted === undefined) {
    if (sessions.size > 1)
      throw new ConversationError('several-sessions', `The trace holds several sessions: choose one of ${names}`);
    return [...sessions.keys()][0]!;
  }
  if (!sessions.has(wanted))
    throw new ConversationError('unknown-session', `The trace has no session '${wanted}', but ${names}`);
  return wanted;
}

/** The requested session, or the only one. Throws a `ConversationError` if there is no such session, or several. */
export function conversationOf(trace: Recorded, wanted?: string): Conversation {
  const session = chosen(trace, wanted);
  const own = trace.index.all.filter((facts) => facts.session === session);
  const head = own.find(({ kind }) => kind === 'session');
  const line = (n: number): TraceLine => {
    const [found] = trace.read(n, n);
    if (found === undefined) throw new ConversationError('unknown-line', `The trace has no line ${n}`);
    return found;
  };
  return {
    session,
    file: trace.file,
    about: head === undefined ? undefined : line(head.n).about,
    messages: own.filter(({ kind, message }) => kind === 'message' && message !== undefined),
    text: (n) => line(n).text,
    line,
    at: (n) => trace.index.at(n),
  };
}

/**
 * The revision of the session: from the answer to `initialize`, or from the requests; `server/discover` counts only if there are
 * no others.
 */
export function revisionOf({ messages, text }: Conversation): string | undefined {
  let probed: string | undefined;
  for (const { n, method, message, outcome } of messages) {
    if (message === 'response' && method === 'initialize' && outcome === 'ok') {
      const { result } = JSON.parse(text(n)) as { result?: { protocolVersion?: unknown } };
      if (typeof result?.protocolVersion === 'string') return result.protocolVersion;
    }
    if (message !== 'request') continue;
    if (method !== 'server/discover') {
      const claimed = claimIn(text(n));
      if (claimed !== undefined) return claimed;
    } else if (outcome === 'ok') probed ??= claimIn(text(n));
  }
  return probed;
}

/** Returns whether it is of 2026-07-28 or later. A rejected `server/discover` of a client does not prove that. */
export function isModernIn({ messages, text }: Conversation): boolean {
  const requests = messages.filter(({ from, message }) => from === 'client' && message === 'request');
  if (requests.some(({ n, method }) => method !== 'server/discover' && claimIn(text(n)) !== undefined)) return true;
  const has = (name: string): boolean => requests.some(({ method, outcome }) => method === name && outcome === 'ok');
  return has('server/discover') && !has('initialize');
}

/** The revision that a request declares (2026-07-28). */
export function claimIn(text: string): string | undefined {
  const { params } = JSON.parse(text) as { params?: { _meta?: Record<string, unknown> | null } | null };
  const claimed = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  return typeof claimed === 'string' ? claimed : undefined;
}
