import type { Facts } from '../trace/facts.ts';
import { compareAnswers, type Difference } from './compare-answers.ts';
import type { Conversation } from './conversation.ts';
import { readForComparing, shownValues } from './exact.ts';
import type { Translation } from './opaque.ts';

/** The outcome of a request of the trace. */
export interface ReplayRow {
  /** The line of the request. Undefined for a question that the server did not ask before. */
  readonly n?: number;
  /** The method of the request. */
  readonly method: string;
  /** The target of the method: the name of a tool or a prompt, or a URI. */
  readonly subject?: string;
  /**
   * `same`: the answers mean the same. `different`: they do not. `missing`: no answer arrived, or the server did not repeat a
   * question. `extra`: the server asked a new question. `skipped`: there is nothing to compare.
   */
  readonly status: 'same' | 'different' | 'missing' | 'extra' | 'skipped';
  /** The line of the recorded answer. */
  readonly answer?: number;
  /** From the request to the answer, in milliseconds. */
  readonly ms?: number;
  /** The recorded duration. */
  readonly recordedMs?: number;
  /** The differences of a `different` answer, at most 20. */
  readonly differences: readonly Difference[];
  /** A further explanation. */
  readonly reason?: string;
}

/** A request that was sent and has no answer yet. */
interface Open {
  readonly facts: Facts;
  readonly sentAt: number;
  readonly deadline: number;
}

/** Keeps the open requests, and the outcomes of the others. */
export interface RequestLog {
  sent(request: Facts, limitMs: number): void;
  /** An answer came. */
  answered(id: string, text: string): void;
  /** Requests whose answer was recorded before this line, and has not arrived. */
  due(n: number): readonly Open[];
  /** Gives up on due requests that exceeded their time limit; on all due requests, if `gone` says why no answer can come. */
  giveUp(n: number, gone: string | undefined): void;
  /** The server sent a request that is not in the trace. */
  extra(method: string): void;
  /** The server did not send a request that is in the trace. */
  unasked(n: number): void;
  /** All rows, in the order of the trace. */
  rows(): ReplayRow[];
}

const UNANSWERED = 'It is not answered in the trace, so nothing is compared';

export function createRequestLog(
  conversation: Conversation,
  translation: Translation,
  onRow: (row: ReplayRow) => void,
): RequestLog {
  const rows: ReplayRow[] = [];
  const open = new Map<string, Open>();

  const add = (row: ReplayRow): void => {
    rows.push(row);
    onRow(row);
  };

  const close = ({ facts, sentAt }: Open, status: ReplayRow['status'], more: Partial<ReplayRow> = {}): void => {
    const { n, id, method, subject, pair, ms } = facts;
    open.delete(id!);
    const hidden = status !== 'same' && conversation.line(n).redacted === true;
    add({
      n,
      method: method!,
      subject,
      status,
      answer: pair,
      ms:
        status === 'same' || status === 'different'
          ? Math.round((performance.now() - sentAt) * 1_000) / 1_000
          : undefined,
      recordedMs: ms,
      differences: [],
      reason: hidden ? 'The request was recorded without its secrets, and was sent so' : undefined,
      ...more,
    });
  };

  const compared = (own: Open, text: string): void => {
    const { pair, method, outcome } = own.facts;
    if (outcome === 'cancelled') return close(own, 'skipped', { reason: 'It was cancelled' });
    if (pair === undefined) {
      const { now } = shownValues(undefined, readForComparing(text));
      return close(own, 'different', { differences: [{ path: '', recorded: 'no answer', now }] });
    }
    const differences = compareAnswers(conversation.text(pair), text, method!, translation);
    return close(own, differences.length === 0 ? 'same' : 'different', { differences });
  };

  const due = (n: number): readonly Open[] => [...open.values()].filter(({ facts }) => (facts.pair ?? Infinity) < n);

  return {
    due,
    sent(facts, limitMs) {
      const sentAt = performance.now();
      open.set(facts.id!, { facts, sentAt, deadline: sentAt + limitMs });
    },
    answered(id, text) {
      const own = open.get(id);
      if (own !== undefined) compared(own, text);
    },
    giveUp(n, gone) {
      for (const own of due(n))
        if (gone !== undefined || own.deadline <= performance.now())
          close(own, 'missing', { reason: gone ?? 'No answer came in time' });
    },
    extra: (method) =>
      add({ method, status: 'extra', differences: [], reason: 'The server did not ask the client this before' }),
    unasked(n) {
      const { method = '', subject } = conversation.at(n)!;
      const reason = 'The server asked the client this before, and not now';
      add({ n, method, subject, status: 'missing', differences: [], reason });
    },
    rows() {
      for (const own of [...open.values()])
        close(own, 'skipped', { reason: own.facts.outcome === 'cancelled' ? 'It was cancelled' : UNANSWERED });
      return [...rows].sort((a, b) => (a.n ?? Infinity) - (b.n ?? Infinity));
    },
  };
}
