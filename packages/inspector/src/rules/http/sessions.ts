import { isLegacy } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { eachExchange, headerOf, linesOf, requestOf } from './each.ts';

const SESSION = 'mcp-session-id';

export const httpSessionHeader: Rule = {
  id: 'http-session-header',
  title: 'A request does not name the session that the server gave',
  blame: ['client'],
  severity: ['error'],
  why: 'Up to 2025-11-25 a client repeats the Mcp-Session-Id of the answer to initialize in all later requests.',
  page: 'http#session-management',
  watch: (report, session) => {
    let given: { readonly n: number; readonly at: number } | undefined;
    return {
      anew() {
        given = undefined;
      },
      line: eachExchange(session, (exchange) => {
        if (session.mixed) return;
        const { answer, headers, at } = exchange;
        const request = requestOf(exchange);
        if (request?.method === 'initialize') {
          const id = headerOf(answer?.headers, SESSION);
          if (answer !== undefined && answer.status < 300 && id !== undefined) given = { n: answer.n, at: exchange.at };
          return;
        }
        if (given === undefined || headers === undefined || at <= given.at || request?.revision === '2026-07-28')
          return;
        if (headerOf(headers, SESSION) !== undefined) return;
        report({
          severity: 'error',
          blame: 'client',
          message: `A ${exchange.method} has no Mcp-Session-Id, although the server gave one`,
          fix: 'Send the Mcp-Session-Id of the answer to initialize with every request.',
          evidence: [given.n, ...linesOf(exchange)],
        });
      }),
    };
  },
};

export const httpSessionLost: Rule = {
  id: 'http-session-lost',
  title: 'The server no longer knows the session',
  blame: ['server', 'client'],
  severity: ['warning', 'error'],
  why: 'The server may end or forget a session. A client that keeps using it, instead of sending a new initialize, is wrong.',
  page: 'http#session-management',
  watch: (report, session) => {
    let lost: { readonly n: number; readonly at: number } | undefined;
    return {
      anew() {
        lost = undefined;
      },
      line: eachExchange(session, (exchange) => {
        const { answer, headers, at, method } = exchange;
        const request = requestOf(exchange);
        if (session.mixed || headerOf(headers, SESSION) === undefined || answer?.status !== 404) return;
        if (!isLegacy(request?.revision ?? session.negotiated)) return;
        if (lost === undefined) {
          lost = { n: answer.n, at: session.last.at };
          report({
            severity: 'warning',
            blame: 'server',
            message: `The server answered a ${method} with 404: it does not know the session any more`,
            fix: 'Was the server restarted? Sessions kept in memory are lost then, and are not shared between processes.',
            evidence: linesOf(exchange),
          });
        } else if (at > lost.at)
          report({
            severity: 'error',
            blame: 'client',
            message: `The client sent a ${method} for a session that the server does not know any more`,
            fix: 'After 404 begin anew: initialize without Mcp-Session-Id.',
            evidence: [lost.n, ...linesOf(exchange)],
          });
      }),
    };
  },
};
