import { CODE } from 'tenon/client';
import { factsOf, type Facts } from '../trace/facts.ts';
import { elementTexts } from '../values/json-text.ts';
import type { Conversation } from './conversation.ts';
import { withId } from './exact.ts';
import { createRequestLog, type RequestLog, type ReplayRow } from './request-log.ts';
import { createTranslation } from './opaque.ts';
import { paramsIn } from './script.ts';
import type { Wire } from './wire.ts';

/** How a conversation is replayed. */
export interface ReplayOptions {
  /** The time limit of an answer, in milliseconds. Default: three times the recorded duration, at least half a minute. */
  readonly timeoutMs?: number;
  /** Sends messages at their recorded times: 1 as recorded, 2 twice as fast. Default: as soon as their causes have arrived. */
  readonly speed?: number;
  /** Ends the replay early; it then rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Called with each row as soon as it is known. */
  readonly onRow?: (row: ReplayRow) => void;
}

const ANSWER_MS = 30_000;
/** How long a recorded notification is waited for, in milliseconds. */
const NOTICE_MS = 1_000;

/** Notifications that may have caused a message of the client. */
function isNews(method: string | undefined): method is string {
  return method !== undefined && /\/(?:list_changed|updated|complete|status)$/.test(method);
}

function parsed(text: string): Facts {
  return factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
}

/** Counts such notifications, recorded and current. */
function createNews() {
  const expected = new Map<string, number>();
  const came = new Map<string, number>();
  const givenUp = new Set<string>();
  const count = (map: Map<string, number>, method: string): void => void map.set(method, (map.get(method) ?? 0) + 1);
  return {
    expect: (method: string) => count(expected, method),
    came: (method: string) => count(came, method),
    /** Methods with fewer notifications than recorded. */
    late: (): string[] =>
      [...expected]
        .filter(([method, times]) => !givenUp.has(method) && (came.get(method) ?? 0) < times)
        .map(([method]) => method),
    giveUp: (methods: readonly string[]) => methods.forEach((method) => givenUp.add(method)),
  };
}

/** Handles the messages of the server. */
function createListener(conversation: Conversation, requestLog: RequestLog, send: (text: string) => Promise<void>) {
  const questions = createQuestions(conversation);
  const news = createNews();

  const refuse = (id: string, code: number, message: string): void =>
    void send(`{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`);

  const asked = (text: string, facts: Facts): void => {
    const { method, id } = facts;
    if (id !== undefined && questions.claim(facts, text)) return;
    if (id !== undefined && method === 'ping') return void send(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
    requestLog.extra(method!);
    if (id === undefined) refuse('null', CODE.invalidRequest, 'The id must be a string or a number');
    else refuse(id, CODE.methodNotFound, 'The server did not send this request in the trace');
  };

  const came = (text: string): void => {
    const facts = parsed(text);
    // A batch (2025-03-26).
    if (facts.message === 'batch') for (const each of elementTexts(text) ?? []) came(each);
    else if (facts.message === 'request') asked(text, facts);
    else if (facts.message === 'notification') news.came(facts.method!);
    else if (facts.message === 'response') requestLog.answered(facts.id!, text);
  };
  return { came, news, questions };
}

/**
 * Sends the messages of a recorded client to a server, in the same order, each once the messages that may have caused it have
 * arrived. Answers the questions of the server as the client did. Resolves with the outcome of each request. Rejects with the
 * error if the server never sent anything, and with the reason of the signal.
 */
export async function replay(
  conversation: Conversation,
  wire: Wire,
  options: ReplayOptions = {},
): Promise<ReplayRow[]> {
  const { signal, speed, timeoutMs, onRow = () => {} } = options;
  const translation = createTranslation();
  const requestLog = createRequestLog(conversation, translation, onRow);
  const waiter = createWaiter();
  let gone: Error | undefined;

  const stop = (reason: Error): void => {
    gone ??= reason;
    waiter.end();
  };
  const send = async (text: string): Promise<void> => {
    try {
      await wire.send(text);
    } catch (error) {
      stop(error as Error);
    }
  };
  const listener = createListener(conversation, requestLog, send);
  wire.onText((text) => {
    listener.came(text);
    waiter.changed();
  });
  void wire.ended.then(stop);
  const interrupted = (): void => stop(new Error('It was interrupted'));
  signal?.addEventListener('abort', interrupted, { once: true });
  if (signal?.aborted === true) interrupted();

  /** Waits for the answers recorded before this line, each up to its time limit. */
  const answersBefore = async (n: number): Promise<void> => {
    for (let due = requestLog.due(n); due.length > 0; due = requestLog.due(n)) {
      const next = Math.min(...due.map(({ deadline }) => deadline));
      if (await waiter.until(() => requestLog.due(n).length === 0, Math.max(0, next - performance.now()))) return;
      requestLog.giveUp(n, gone?.message);
    }
  };

  const newsBefore = async (): Promise<void> => {
    const { news } = listener;
    if (!(await waiter.until(() => news.late().length === 0, NOTICE_MS))) news.giveUp(news.late());
  };

  const answerAsBefore = async (n: number, asked: number): Promise<void> => {
    const { questions } = listener;
    await waiter.until(() => questions.idOf(asked) !== undefined, timeoutMs ?? ANSWER_MS);
    const id = questions.idOf(asked);
    if (id === undefined) return requestLog.unasked(asked);
    return send(translation.translate(withId(conversation.text(n), id)));
  };

  const sayAgain = async (facts: Facts): Promise<void> => {
    const { n, message, pair, ms = 0 } = facts;
    if (message === 'response') return pair === undefined ? undefined : answerAsBefore(n, pair);
    const text = conversation.text(n);
    if (message === 'request') requestLog.sent(facts, timeoutMs ?? Math.max(ANSWER_MS, 3 * ms));
    return send(message === 'batch' || message === 'invalid' ? text : translation.translate(text));
  };

  const began = performance.now();
  const start = conversation.messages[0]?.at ?? 0;
  for (const facts of conversation.messages) {
    const { from, message, method, n, at } = facts;
    if (from === 'server') {
      if (message === 'notification' && isNews(method)) listener.news.expect(method);
      continue;
    }
    await answersBefore(n);
    await newsBefore();
    // If the server was never reached, the rest is not sent.
    if (gone !== undefined && wire.unreached() !== undefined) break;
    if (speed !== undefined)
      await waiter.until(() => gone !== undefined, began + (at - start) / speed - performance.now());
    // An interruption ends the wait, and then the message must not be sent.
    if (signal?.aborted === true) break;
    await sayAgain(facts);
  }
  await answersBefore(Infinity);
  signal?.removeEventListener('abort', interrupted);
  const unreached = wire.unreached();
  await wire.close();
  signal?.throwIfAborted();
  if (unreached !== undefined) throw unreached;
  return requestLog.rows();
}

/** The recorded requests of the server, and which of them it has sent again. */
interface Questions {
  /** The current id of the request at this line. */
  idOf(n: number): string | undefined;
  /** Assigns a request to a recorded one. Returns whether there is one. */
  claim(facts: Facts, text: string): boolean;
}

function createQuestions(conversation: Conversation): Questions {
  const asked = conversation.messages.filter(({ from, message }) => from === 'server' && message === 'request');
  const again = new Map<number, string>();
  return {
    idOf: (n) => again.get(n),
    claim(facts, text) {
      const free = asked.filter(({ n, method }) => method === facts.method && !again.has(n));
      const params = paramsIn(text);
      const own = free.find(({ n }) => paramsIn(conversation.text(n)) === params) ?? free[0];
      if (own !== undefined) again.set(own.n, facts.id!);
      return own !== undefined;
    },
  };
}

/** Waits for conditions, which are checked again at each call of `changed`. */
interface Waiter {
  changed(): void;
  /** Resolves with true as soon as `check` holds; with false after this many milliseconds, or after `end`. */
  until(check: () => boolean, ms: number): Promise<boolean>;
  /** Nothing will change any more. */
  end(): void;
}

function createWaiter(): Waiter {
  const waiters = new Set<() => void>();
  let over = false;
  const changed = (): void => {
    for (const look of [...waiters]) look();
  };
  return {
    changed,
    until: (check, ms) =>
      new Promise((resolve) => {
        const finish = (held: boolean): void => {
          clearTimeout(timer);
          waiters.delete(look);
          resolve(held);
        };
        const look = (): void => {
          if (check()) finish(true);
          else if (over) finish(false);
        };
        // The longest timer of Node is 24 days.
        const timer = setTimeout(() => finish(false), Math.min(ms, 2 ** 31 - 1));
        waiters.add(look);
        look();
      }),
    end() {
      over = true;
      changed();
    },
  };
}
