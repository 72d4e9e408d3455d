import type { Side } from '../../trace/line.ts';
import type { Request } from '../message.ts';
import { PATIENT } from '../methods.ts';
import type { Rule } from '../rule.ts';
import type { SessionState } from '../session-state.ts';
import { duration, other, shown } from '../words.ts';

const SLOW_MS = 5_000;

/** Questions of the other side that were open while a request waited, in time. */
interface Asked {
  readonly from: number;
  readonly to: number;
}
const MAX_ASKED = 1_000;

/** How much of a time was spent waiting for the other side. */
function overlap(asked: readonly Asked[], from: number, to: number): number {
  let covered = 0;
  let end = from;
  for (const one of asked.toSorted((a, b) => a.from - b.from)) {
    const begin = Math.max(one.from, end);
    const stop = Math.min(one.to, to);
    if (stop > begin) {
      covered += stop - begin;
      end = stop;
    }
  }
  return covered;
}

function nameOf({ method, params }: Request): string {
  const name = params['name'] ?? params['uri'];
  return typeof name === 'string' ? `${method} ${shown(name, 60)}` : shown(method, 60);
}

export const slowAnswer: Rule = {
  id: 'slow-answer',
  title: 'An answer took longer than 5 s',
  blame: ['server', 'client'],
  severity: ['info'],
  why: 'Whoever owed the answer; the client, if the server itself waited for an answer of the client most of the time.',
  page: 'cancellation#timeouts',
  watch: (report) => {
    const asked: Asked[] = [];
    return {
      response({ request, at, n, from }) {
        if (request === undefined) return;
        if (request.from === 'server') {
          asked.push({ from: request.at, to: at });
          if (asked.length > MAX_ASKED) asked.shift();
        }
        const took = at - request.at;
        if (took < SLOW_MS || PATIENT.has(request.method)) return;
        const meanwhile = from === 'server' ? overlap(asked, request.at, at) : 0;
        const ofClient = meanwhile > took / 2;
        report({
          severity: 'info',
          blame: ofClient ? 'client' : from,
          message: `${nameOf(request)} took ${duration(took)}${meanwhile === 0 ? '' : `; ${duration(meanwhile)} of it the server waited for answers of the client`}`,
          fix: ofClient
            ? 'Answer the questions of the server sooner.'
            : 'Report progress, so that nobody loses patience, or do the work as a task.',
          evidence: [request.n, n],
          revision: request.revision,
        });
      },
    };
  },
};

/** The request a timer is about: the one it cites, or else the one that has waited longest. */
function waitedFor(session: SessionState, cause: number | undefined): Request | undefined {
  const waiting = (['client', 'server'] as const).flatMap((side) => [...session.waiting[side].values()]);
  return waiting.find(({ n }) => n === cause) ?? waiting.toSorted((a, b) => a.at - b.at)[0];
}

export const timeout: Rule = {
  id: 'timeout',
  title: 'Somebody waited until its time was up',
  blame: ['server', 'client', 'unknown'],
  severity: ['warning'],
  why: 'Slow is not against the rules: unknown, unless the other side wrote something that is no message instead of its answer.',
  page: 'cancellation#timeouts',
  watch: (report, session) => {
    const stray: Record<Side, number | undefined> = { client: undefined, server: undefined };
    return {
      text({ line }) {
        if (line.from !== undefined) stray[line.from] = undefined;
      },
      line({ line }) {
        if ((line.kind === 'junk' || line.kind === 'lost') && line.from !== undefined) stray[line.from] = line.n;
        if (line.kind !== 'timer') return;
        const request = waitedFor(session, line.cause);
        if (request === undefined) return;
        const owing = other(request.from);
        const noise = stray[owing];
        report({
          severity: 'warning',
          blame: noise === undefined ? 'unknown' : owing,
          message: `The ${request.from} waited ${duration(line.at - request.at)} for the ${owing} to answer ${nameOf(request)}, then its time was up${
            noise === undefined ? '' : `; the last the ${owing} wrote is no message`
          }`,
          fix:
            noise === undefined
              ? 'Give it more time, or look at what the other side does meanwhile.'
              : 'Look at what was written in place of the answer: stdout is for messages only.',
          evidence: [request.n, ...(noise === undefined ? [] : [noise]), line.n],
          revision: request.revision,
        });
      },
    };
  },
};
