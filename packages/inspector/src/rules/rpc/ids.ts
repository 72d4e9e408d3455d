import type { Side } from '../../trace/line.ts';
import { createRecent, type Recent } from '../recent.ts';
import { isLegacy } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { other, quoted } from '../words.ts';

const BOTH = ['server', 'client'] as const;

/** The most ids of a session that are remembered. */
const MAX_IDS = 10_000;

export const idReused: Rule = {
  id: 'id-reused',
  title: 'The id of a request was used before',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever sent it. Up to 2025-11-25 an id is never used again in a session, since then not while its request waits.',
  page: 'messages#requests',
  watch: (report, session) => {
    const used: Record<Side, Recent<number>> = { client: createRecent(MAX_IDS), server: createRecent(MAX_IDS) };
    return {
      anew() {
        used.client.clear();
        used.server.clear();
      },
      request(request) {
        const { key, from, n, id, method, revision, generation } = request;
        if (key === undefined || (session.mixed && from === 'server')) return;
        const open = session.waiting[from].get(key);
        const before = open !== undefined && open !== request && open.generation === generation ? open.n : undefined;
        const again = before ?? (isLegacy(revision) && !session.mixed ? used[from].get(key) : undefined);
        used[from].set(key, n);
        if (again === undefined) return;
        report({
          severity: 'error',
          blame: from,
          message: `The ${from} sent ${method} with the id ${quoted(id)}, which ${before === undefined ? 'it used before' : 'still waits for an answer'}`,
          fix: 'Count ids up, and keep one counter for each connection.',
          evidence: [again, n],
        });
      },
    };
  },
};

export const unknownResponse: Rule = {
  id: 'unknown-response',
  title: 'An answer to a request that was never sent',
  blame: BOTH,
  severity: ['error', 'info'],
  why: 'Whoever answered: an answer has the id of the request, exactly as it was written.',
  page: 'messages#responses',
  watch: (report, session) => ({
    response({ request, isShared, earlier, retyped, key, from, n, id, value }) {
      if (request !== undefined || isShared || earlier !== undefined || retyped !== undefined || key === undefined)
        return;
      if (session.forgetful || session.lost[other(from)] || (session.mixed && from === 'client')) return;
      // HTTP servers give such an error an invented id if they could not read the id of the request.
      const ofHttp = Object.hasOwn(value, 'error') && session.head?.transport === 'http';
      report({
        severity: ofHttp ? 'info' : 'error',
        blame: from,
        message: `The ${from} answered ${quoted(id)}, which is the id of no request of the ${other(from)}`,
        fix: 'Answer with the id of the request. Where it could not be read, leave the id out.',
        evidence: [n],
      });
    },
  }),
};

export const duplicateResponse: Rule = {
  id: 'duplicate-response',
  title: 'A request was answered twice',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever answered: each request has one answer.',
  page: 'messages#responses',
  watch: (report) => ({
    response({ earlier, from, n, id }) {
      if (earlier === undefined) return;
      report({
        severity: 'error',
        blame: from,
        message: `The ${from} answered ${quoted(id)} again`,
        fix: 'Answer each request once. Send later messages as notifications.',
        evidence: [earlier, n],
      });
    },
  }),
};

export const idTypeChanged: Rule = {
  id: 'id-type-changed',
  title: 'An answer has the id as another type',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever answered: 1 and "1" are two ids, and clients that compare them find no request.',
  page: 'messages#responses',
  watch: (report) => ({
    response({ retyped, from, n, id }) {
      if (retyped === undefined) return;
      report({
        severity: 'error',
        blame: from,
        message: `The ${from} answered ${retyped.method} with the id ${quoted(id)}, but the request has ${quoted(retyped.id)}`,
        fix: 'Keep the id as it came: do not turn numbers into text, or text into numbers.',
        evidence: [retyped.n, n],
      });
    },
  }),
};
