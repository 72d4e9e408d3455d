import { memberText } from '@tenon/inspector/json';
import { type LastAnswer, watchAnswers } from './last-answer.ts';

/** A traffic event between tenon and the server, as the client reports it. `at` is in milliseconds. */
export interface Passed {
  readonly kind: 'open' | 'http' | 'sent' | 'received' | 'junk' | 'lost' | 'stderr' | 'exit';
  readonly at: number;
  readonly text: string;
}

/** Keeps the parts of the traffic that are needed later. */
export interface Observer {
  /** Records one event. Returns whether it was a line on stdout that is not a protocol message. */
  observe(passed: Passed): boolean;
  /** The JSON text of the server's last result of a method, exactly as it was written. */
  resultOf(method: string): string | undefined;
  /** The results of a list, page by page. */
  pagesOf(method: string): readonly string[];
  /** Whether the server has answered the first request of an era with a result. */
  readonly hasAnsweredOpening: boolean;
  /** The method of the request that has waited longest for its answer. */
  readonly waitingFor: string | undefined;
  /** Whether the server answered with this error. If not, the client itself made it. */
  hasErrorResponse(code: unknown, message: string): boolean;
  /** The last message of the server. */
  readonly last: string | undefined;
  /** The number of lines on stdout that were not protocol messages. */
  readonly junk: number;
  /** The most telling of these lines: the last if no message followed it, else the first. */
  readonly mainJunk: string | undefined;
  /** The last stderr of the server. */
  readonly stderr: string;
  /** The stderr since the last request was sent. */
  readonly stderrOfCall: string;
  /** The answer to a question of the server after which it has sent nothing. */
  readonly lastAnswer: LastAnswer | undefined;
  /** The methods of questions of the server that the client refused. */
  readonly refusedQuestions: ReadonlySet<string>;
  /** Whether the last line on stdout was not a protocol message. */
  readonly endsWithJunk: boolean;
  /** Whether the last line on stdout was discarded because it was too long. */
  readonly endsWithLost: boolean;
}

type Id = string | number;

interface Message extends Readonly<Record<string, unknown>> {
  readonly id?: Id;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === '2.0';
}

/** Whether the result is an `input_required` of 2026-07-28. */
function isQuestion(result: unknown): boolean {
  return (result as { resultType?: unknown } | null)?.resultType === 'input_required';
}

/** The messages of a line: one, or those of a batch. Undefined if the line is not a message. */
function messagesIn(text: string): readonly Message[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (isMessage(value)) return [value];
  return Array.isArray(value) && value.length > 0 && value.every(isMessage) ? value : undefined;
}

/** How many unanswered requests are remembered. */
const MAX_PENDING = 10_000;

/** How many of the last errors are remembered. */
const MAX_ERRORS = 20;
/** How much of stderr is kept, in characters. */
const MAX_STDERR_LENGTH = 4_000;
const MAX_CALL_STDERR_LENGTH = 16_000;

export function createObserver(): Observer {
  const pending = new Map<Id, string>();
  const results = new Map<string, string[]>();
  const errors: [code: unknown, message: unknown][] = [];
  let junk = 0;
  let firstJunk: string | undefined;
  let lastJunk: string | undefined;
  let endsWithJunk = false;
  let endsWithLost = false;
  let last: string | undefined;
  let stderr = '';
  let stderrOfCall = '';

  const answers = watchAnswers();

  const sent = (text: string): void => {
    for (const message of messagesIn(text) ?? []) {
      const { id, method } = message;
      answers.sent(message);
      if (method !== undefined && id !== undefined) stderrOfCall = '';
      if (typeof method === 'string' && id !== undefined && pending.size < MAX_PENDING) pending.set(id, method);
    }
  };

  const answered = (text: string, message: Message, alone: boolean): void => {
    const { id, method, result, error } = message;
    if (error != null) errors.push([error.code, error.message]);
    if (errors.length > MAX_ERRORS) errors.shift();
    const asked = id === undefined || method !== undefined ? undefined : pending.get(id);
    if (asked === undefined) return;
    pending.delete(id!);
    // A request for input is not the final result.
    if (result === undefined || isQuestion(result)) return;
    const own = (alone ? memberText(text, 'result') : undefined) ?? JSON.stringify(result);
    const pages = results.get(asked);
    // Only lists have several pages; of other methods the last result counts.
    if (pages !== undefined && asked.endsWith('/list')) pages.push(own);
    else results.set(asked, [own]);
  };

  const wrong = (text: string): true => {
    junk++;
    lastJunk = text;
    firstJunk ??= text;
    endsWithJunk = true;
    endsWithLost = false;
    return true;
  };

  return {
    observe({ kind, text }) {
      // A restarted process does not answer requests sent to the previous one.
      if (kind === 'open') pending.clear();
      if (kind === 'sent') sent(text);
      if (kind === 'stderr') {
        stderr = (stderr + text).slice(-MAX_STDERR_LENGTH);
        stderrOfCall = (stderrOfCall + text).slice(-MAX_CALL_STDERR_LENGTH);
      }
      if (kind === 'junk') return wrong(text);
      if (kind === 'lost') return (endsWithLost = wrong(text));
      if (kind !== 'received') return false;
      const found = messagesIn(text);
      if (found === undefined) return wrong(text);
      endsWithJunk = false;
      endsWithLost = false;
      last = text;
      for (const message of found) {
        answers.received(message);
        answered(text, message, found.length === 1 && !text.trimStart().startsWith('['));
      }
      return false;
    },
    resultOf: (method) => results.get(method)?.at(-1),
    pagesOf: (method) => results.get(method) ?? [],
    hasErrorResponse: (code, message) => errors.some(([known, text]) => known === code && text === message),
    get hasAnsweredOpening() {
      return results.has('initialize') || results.has('server/discover');
    },
    get waitingFor() {
      const [oldest] = pending.values();
      return oldest;
    },
    get last() {
      return last;
    },
    get junk() {
      return junk;
    },
    get mainJunk() {
      return endsWithJunk ? lastJunk : firstJunk;
    },
    get stderr() {
      return stderr.trimEnd();
    },
    get stderrOfCall() {
      return stderrOfCall.trimEnd();
    },
    get lastAnswer() {
      return answers.last;
    },
    refusedQuestions: answers.refused,
    get endsWithJunk() {
      return endsWithJunk;
    },
    get endsWithLost() {
      return endsWithLost;
    },
  };
}
