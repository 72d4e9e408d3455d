import { memberText } from '@tenon/inspector/json';

/** One thing that passed between tenon and the server, as the client tells it. `at` is in milliseconds. */
export interface Passed {
  readonly kind: 'open' | 'http' | 'sent' | 'received' | 'junk' | 'lost' | 'stderr' | 'exit';
  readonly at: number;
  readonly text: string;
}

/** What of the traffic is needed after it has passed. */
export interface Observer {
  /** Takes note of one thing. Gives whether it was a line on stdout that is no message. */
  see(passed: Passed): boolean;
  /** The text of the result with which the server last answered a method: as it was written, numbers and all. */
  resultOf(method: string): string | undefined;
  /** The results of a list, page by page. */
  pagesOf(method: string): readonly string[];
  /** The method of the request that has waited longest for its answer. */
  readonly waitingFor: string | undefined;
  /** Has the server answered with this error? If not, it is the client's own. */
  hasRefused(code: unknown, message: string): boolean;
  /** The last message of the server. */
  readonly last: string | undefined;
  /** How many lines on stdout were no messages. */
  readonly junk: number;
  /** The one that tells most: the last if no message came after it, else the first. */
  readonly worstJunk: string | undefined;
  /** The last stderr of the server. */
  readonly stderr: string;
  /** What of it came since the last request was sent. */
  readonly stderrOfCall: string;
  /** Is the last line on stdout one of them? */
  readonly strayLast: boolean;
}

type Id = string | number;

interface Message {
  readonly id?: Id;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === '2.0';

/** Is this result one of 2026-07-28 that asks for input? */
const isQuestion = (result: unknown): boolean =>
  (result as { resultType?: unknown } | null)?.resultType === 'input_required';

/** The messages of a line: one, or those of a batch. Undefined: the line is no message. */
const messagesIn = (text: string): readonly Message[] | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (isMessage(value)) return [value];
  return Array.isArray(value) && value.length > 0 && value.every(isMessage) ? value : undefined;
};

/** Requests without an answer that are remembered. */
const MOST_PENDING = 10_000;

/** The last errors that are remembered. */
const MOST_ERRORS = 20;
/** What is kept of stderr, in characters. */
const STDERR_KEPT = 4_000;
const STDERR_OF_CALL_KEPT = 16_000;

export const createObserver = (): Observer => {
  const pending = new Map<Id, string>();
  const results = new Map<string, string[]>();
  const errors: [code: unknown, message: unknown][] = [];
  let junk = 0;
  let firstJunk: string | undefined;
  let lastJunk: string | undefined;
  let strayLast = false;
  let last: string | undefined;
  let stderr = '';
  let stderrOfCall = '';

  const sent = (text: string): void => {
    for (const { id, method } of messagesIn(text) ?? []) {
      if (method !== undefined && id !== undefined) stderrOfCall = '';
      if (typeof method === 'string' && id !== undefined && pending.size < MOST_PENDING) pending.set(id, method);
    }
  };

  const answered = (text: string, message: Message, alone: boolean): void => {
    const { id, method, result, error } = message;
    if (error != null) errors.push([error.code, error.message]);
    if (errors.length > MOST_ERRORS) errors.shift();
    const asked = id === undefined || method !== undefined ? undefined : pending.get(id);
    if (asked === undefined) return;
    pending.delete(id!);
    // A question of the server is not yet the result.
    if (result === undefined || isQuestion(result)) return;
    const own = (alone ? memberText(text, 'result') : undefined) ?? JSON.stringify(result);
    const pages = results.get(asked);
    // Of anything but a list only the last answer counts.
    if (pages !== undefined && asked.endsWith('/list')) pages.push(own);
    else results.set(asked, [own]);
  };

  const wrong = (text: string): true => {
    junk++;
    lastJunk = text;
    firstJunk ??= text;
    strayLast = true;
    return true;
  };

  return {
    see({ kind, text }) {
      // A process that was started again owes no answers of the one before.
      if (kind === 'open') pending.clear();
      if (kind === 'sent') sent(text);
      if (kind === 'stderr') {
        stderr = (stderr + text).slice(-STDERR_KEPT);
        stderrOfCall = (stderrOfCall + text).slice(-STDERR_OF_CALL_KEPT);
      }
      if (kind === 'junk' || kind === 'lost') return wrong(text);
      if (kind !== 'received') return false;
      const found = messagesIn(text);
      if (found === undefined) return wrong(text);
      strayLast = false;
      last = text;
      for (const message of found) answered(text, message, found.length === 1 && !text.trimStart().startsWith('['));
      return false;
    },
    resultOf: (method) => results.get(method)?.at(-1),
    pagesOf: (method) => results.get(method) ?? [],
    hasRefused: (code, message) => errors.some(([known, text]) => known === code && text === message),
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
    get worstJunk() {
      return strayLast ? lastJunk : firstJunk;
    },
    get stderr() {
      return stderr.trimEnd();
    },
    get stderrOfCall() {
      return stderrOfCall.trimEnd();
    },
    get strayLast() {
      return strayLast;
    },
  };
};
