import type { Side } from '../../trace/line.ts';
import { createRecent, type Recent } from '../recent.ts';
import { keyOf, type Notification, type Request, resultOf } from '../message.ts';
import type { Rule, Watcher } from '../rule.ts';
import type { SessionState } from '../session-state.ts';
import { isObject } from '@tenon/values/is-object';
import { other, quoted } from '../words.ts';

/** A progress token, and its state. */
interface Token {
  /** The line of the request with this token. */
  readonly n: number;
  readonly method: string;
  readonly key: string | undefined;
  readonly generation: number;
  /** The last progress, and its line. */
  last: number | undefined;
  lastLine: number;
  endedAt: number | undefined;
}

const MAX_TOKENS = 10_000;

/** Tracks the progress tokens of a session. */
function createTokens() {
  const all: Record<Side, Recent<Token>> = { client: createRecent(MAX_TOKENS), server: createRecent(MAX_TOKENS) };
  return {
    clear(): void {
      all.client.clear();
      all.server.clear();
    },
    /** Returns the token of the same name that is still in use. */
    request({ from, n, method, key, generation, meta }: Request): Token | undefined {
      const name = keyOf(meta['progressToken']);
      if (name === undefined) return undefined;
      const before = all[from].get(name);
      all[from].set(name, { n, method, key, generation, last: undefined, lastLine: n, endedAt: undefined });
      return before?.endedAt === undefined && before?.generation === generation ? before : undefined;
    },
    response(request: Request | undefined, result: unknown, at: number): void {
      const name = request === undefined ? undefined : keyOf(request.meta['progressToken']);
      const token = name === undefined ? undefined : all[request!.from].get(name);
      if (token === undefined || token.n !== request!.n) return;
      // A task continues after the answer that created it.
      if (request!.params['task'] !== undefined && isObject(result) && isObject(result['task'])) return;
      token.endedAt = at;
    },
    of: ({ from, params }: Notification): Token | undefined =>
      all[other(from)].get(keyOf(params['progressToken']) ?? ''),
    get forgetful() {
      return all.client.forgetful || all.server.forgetful;
    },
  };
}

type Tokens = ReturnType<typeof createTokens>;

/** The part that all rules about progress share. */
function following(tokens: Tokens): Watcher {
  return {
    anew: tokens.clear,
    request: (request) => void tokens.request(request),
    response: (response) => tokens.response(response.request, resultOf(response), response.at),
  };
}

function isProgress({ method }: Notification): boolean {
  return method === 'notifications/progress';
}

const BOTH = ['server', 'client'] as const;

/** Over HTTP, messages of one side may arrive on several streams, in another order. The tolerance, in milliseconds. */
function graceOf(session: SessionState): number {
  return session.head?.transport === 'stdio' ? 0 : 1_000;
}

export const progressUnknown: Rule = {
  id: 'progress-unknown',
  title: 'Progress with an unknown token',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever reports it: progress has the token of a request that asks for progress.',
  page: 'progress#behavior-requirements',
  watch: (report) => {
    const tokens = createTokens();
    return {
      ...following(tokens),
      notification(notification) {
        if (!isProgress(notification) || tokens.forgetful || tokens.of(notification) !== undefined) return;
        const { from, n, params } = notification;
        report({
          severity: 'error',
          blame: from,
          message: `The ${from} reports progress for ${quoted(params['progressToken'])}, a token that no request has`,
          fix: 'Report progress only for requests with _meta.progressToken, and use that token exactly as it was sent.',
          evidence: [n],
        });
      },
    };
  },
};

export const progressLate: Rule = {
  id: 'progress-late',
  title: 'Progress of a request that is over',
  blame: BOTH,
  severity: ['error', 'warning'],
  why: 'Whoever reports it: progress stops with the answer.',
  page: 'progress#implementation-notes',
  watch: (report, session) => {
    const tokens = createTokens();
    return {
      ...following(tokens),
      notification(notification) {
        const token = isProgress(notification) ? tokens.of(notification) : undefined;
        if (token?.endedAt === undefined || notification.at - token.endedAt < graceOf(session)) return;
        const { from, n } = notification;
        report({
          severity: graceOf(session) === 0 ? 'error' : 'warning',
          blame: from,
          message: `The ${from} reports progress of ${token.method} after it was answered`,
          fix: 'Wait for the last report of progress before answering, and stop then.',
          evidence: [token.n, n],
        });
      },
    };
  },
};

export const progressOrder: Rule = {
  id: 'progress-order',
  title: 'Progress does not increase',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever reports it: each report is further than the one before.',
  page: 'progress#progress-flow',
  watch: (report) => {
    const tokens = createTokens();
    return {
      ...following(tokens),
      notification(notification) {
        const token = isProgress(notification) ? tokens.of(notification) : undefined;
        if (token === undefined) return;
        const { from, n, params } = notification;
        const { progress } = params;
        const { last, lastLine } = token;
        const rises = typeof progress === 'number' && (last === undefined || progress > last);
        if (typeof progress === 'number') {
          token.last = progress;
          token.lastLine = n;
        }
        if (rises) return;
        report({
          severity: 'error',
          blame: from,
          message:
            typeof progress === 'number'
              ? `The ${from} reports progress ${progress} of ${token.method} after ${last}`
              : `The ${from} reports progress of ${token.method} that is ${quoted(progress)}, not a number`,
          fix: 'Count up, also where the total is not known.',
          evidence: [lastLine, n],
        });
      },
    };
  },
};

export const progressTokenReused: Rule = {
  id: 'progress-token-reused',
  title: 'Two requests have the same progress token at the same time',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever asks for progress: tokens are unique among the requests that wait.',
  page: 'progress#progress-flow',
  watch: (report, session) => {
    const tokens = createTokens();
    return {
      ...following(tokens),
      request(request) {
        const isCancelled = ({ key }: Token): boolean =>
          session.waiting[request.from].get(key ?? '')?.cancelledAt !== undefined;
        const before = tokens.request(request);
        if (before === undefined || isCancelled(before) || session.mixed) return;
        report({
          severity: 'error',
          blame: request.from,
          message: `The ${request.from} gave ${request.method} the progress token ${quoted(request.meta['progressToken'])}, which ${before.method} still has`,
          fix: 'Use the id of the request as its token.',
          evidence: [before.n, request.n],
        });
      },
    };
  },
};
