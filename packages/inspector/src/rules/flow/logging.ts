import { ofMeta, type Request, resultOf } from '../message.ts';
import { isModern } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import type { SessionState } from '../session-state.ts';
import { quoted, shown } from '../words.ts';

const LEVELS: readonly unknown[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const LOG = 'notifications/message';
/** Over HTTP, messages of one side may arrive on several streams, in another order. The tolerance, in milliseconds. */
const RACE_MS = 1_000;
const MAX_SEEN = 1_000;

export const logShape: Rule = {
  id: 'log-shape',
  title: 'A log message without a known level, or without data',
  blame: ['server'],
  severity: ['error'],
  why: 'The server wrote it.',
  page: 'logging#log-levels',
  watch: (report) => ({
    notification({ from, method, params, n }) {
      if (from === 'client' || method !== LOG) return;
      const known = LEVELS.includes(params['level']);
      if (known && Object.hasOwn(params, 'data')) return;
      report({
        severity: 'error',
        blame: 'server',
        message: known
          ? 'A log message has no data'
          : `A log message has the level ${quoted(params['level'])}, which does not exist`,
        fix: `Levels are ${LEVELS.join(', ')}; the message itself is in data.`,
        evidence: [n],
      });
    },
  }),
};

/** The lowest level that a pending request asks for. Undefined: none asks. */
function wantedBy(session: SessionState): number | undefined {
  let least: number | undefined;
  let looked = 0;
  for (const { meta, revision } of session.waiting.client.values()) {
    // So many concurrent requests are a load test; the message may belong to any of them.
    if (++looked > MAX_SEEN) return 0;
    const level = LEVELS.indexOf(ofMeta(meta, 'logLevel'));
    if (isModern(revision) && level >= 0) least = Math.min(least ?? level, level);
  }
  return least;
}

export const logUnasked: Rule = {
  id: 'log-unasked',
  title: 'A log message that no request asked for',
  blame: ['server'],
  severity: ['error'],
  why: 'Since 2026-07-28 a server logs only for requests that carry a level, and only until they are answered.',
  page: 'logging#per-request-log-level',
  watch: (report, session) => ({
    notification({ from, method, n, revision }) {
      if (from === 'client' || method !== LOG || !isModern(revision) || session.forgetful) return;
      if (wantedBy(session) !== undefined) return;
      report({
        severity: 'error',
        blame: 'server',
        message: 'The server sent a log message while no request asked for any',
        fix: 'Log only for requests with io.modelcontextprotocol/logLevel in _meta, before their answer; all else to stderr.',
        evidence: [n],
      });
    },
  }),
};

export const logLevel: Rule = {
  id: 'log-level',
  title: 'A log message below the level that was asked for',
  blame: ['server'],
  severity: ['warning'],
  why: 'The client said how much it wants to read.',
  page: 'logging',
  watch: (report, session) => {
    let set: { readonly request: Request; readonly at: number } | undefined;
    return {
      anew() {
        set = undefined;
      },
      response(response) {
        const { request, at } = response;
        if (request?.method === 'logging/setLevel' && resultOf(response) !== undefined) set = { request, at };
      },
      notification({ from, method, params, n, at, revision }) {
        const level = LEVELS.indexOf(params['level']);
        if (from === 'client' || method !== LOG || level < 0) return;
        const modern = isModern(revision);
        const asked = set?.request.params['level'];
        const wanted = modern ? wantedBy(session) : LEVELS.indexOf(asked);
        const settled = modern || (set !== undefined && (session.head?.transport === 'stdio' || at - set.at > RACE_MS));
        if (!settled || wanted === undefined || level >= wanted) return;
        report({
          severity: 'warning',
          blame: 'server',
          message: `The server sent a log message of the level ${shown(String(params['level']))}; ${shown(String(LEVELS[wanted]))} was asked for`,
          fix: 'Send only messages at the requested level or above.',
          evidence: set === undefined || modern ? [n] : [set.request.n, n],
        });
      },
    };
  },
};
