import type { Side } from '../../trace/line.ts';
import { keyOf, type Request } from '../message.ts';
import { createRecent, type Recent } from '../recent.ts';
import { isModern } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { duration, quoted } from '../words.ts';

const BOTH = ['server', 'client'] as const;
const MAX_ASKED = 10_000;

export const cancelUnknown: Rule = {
  id: 'cancel-unknown',
  title: 'A cancellation of something that cannot be cancelled',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever cancels: only requests of its own, never initialize. Since 2026-07-28 servers cancel only subscriptions.',
  page: 'cancellation#behavior-requirements',
  watch: (report, session) => {
    const asked: Record<Side, Recent<string>> = { client: createRecent(MAX_ASKED), server: createRecent(MAX_ASKED) };
    const problemOf = (from: Side, id: unknown, modern: boolean): string | undefined => {
      const key = keyOf(id);
      // In 2025-11-25 the id may be omitted for tasks.
      if (key === undefined)
        return id === undefined && session.revision === '2025-11-25' ? undefined : 'names no request';
      if (modern && from === 'server') {
        const method = asked.client.get(key);
        return method === 'subscriptions/listen' || asked.client.forgetful
          ? undefined
          : `names ${quoted(id)}, which is not a subscription`;
      }
      const method = asked[from].get(key);
      if (method === 'initialize') return 'is about initialize, which is never cancelled';
      return method !== undefined || asked[from].forgetful || session.mixed
        ? undefined
        : `names ${quoted(id)}, which the ${from} never sent`;
    };
    return {
      request({ from, key, method }: Request) {
        if (key !== undefined) asked[from].set(key, method);
      },
      notification({ from, method, params, n, revision }) {
        if (method !== 'notifications/cancelled') return;
        const problem = problemOf(from, params['requestId'], isModern(revision));
        if (problem === undefined) return;
        report({
          severity: 'error',
          blame: from,
          message: `A cancellation of the ${from} ${problem}`,
          fix: 'Put the id of a pending request into requestId, exactly as it was sent.',
          evidence: [n],
          revision,
        });
      },
    };
  },
};

/** Answers within this time after a cancellation may have crossed it, in milliseconds. */
const RACE_MS = 1_000;

export const cancelIgnored: Rule = {
  id: 'cancel-ignored',
  title: 'A cancelled request was answered',
  blame: BOTH,
  severity: ['warning'],
  why: 'Whoever answers: it should stop its work and send no answer. Messages that cross in flight do not count.',
  page: 'cancellation#behavior-requirements',
  watch: (report) => ({
    response({ request, at, n, from }) {
      if (request?.cancelledAt === undefined || at - request.cancelledAt < RACE_MS) return;
      report({
        severity: 'warning',
        blame: from,
        message: `The ${from} answered ${request.method} ${duration(at - request.cancelledAt)} after it was cancelled`,
        fix: 'Give the work the signal of the cancellation, and send no answer.',
        evidence: [request.n, n],
        revision: request.revision,
      });
    },
  }),
};
