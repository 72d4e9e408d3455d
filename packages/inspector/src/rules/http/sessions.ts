import { SESSION_FIX } from '@tenon/values/peer-fix';
import { isLegacy } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import type { Exchange } from './exchanges.ts';
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

/** A request of the client with a session that the server refused. */
interface Refused {
  readonly method: string;
  readonly evidence: readonly number[];
}

export const httpSessionLost: Rule = {
  id: 'http-session-lost',
  title: 'The server does not know the session',
  blame: ['server', 'client'],
  severity: ['warning', 'error'],
  why: 'The server may end or forget a session, but must know the one that it has just given, and not only sometimes. A client that keeps using a forgotten one, instead of sending a new initialize, is wrong.',
  page: 'http#session-management',
  watch: (report, session) => {
    /** A request was answered in this session. */
    let known = false;
    let lost: (Refused & { readonly n: number; readonly at: number }) | undefined;
    /** The first refusal, until it is clear whether all requests are refused. */
    let held = false;
    /** The server answered a request after it had refused one. */
    let sometimes = false;
    /** Later requests in the session. They are right if the server knows it again. */
    let later: Refused[] = [];
    /** Every session of such a server has the fault: it is reported once. */
    let reported = false;

    const accuse = (message: string, evidence: readonly number[]): void => {
      if (!reported)
        report({
          severity: 'error',
          blame: 'server',
          message,
          fix: SESSION_FIX.unshared,
          evidence,
          revision: session.negotiated,
        });
      reported = true;
    };
    const release = (): void => {
      if (held && lost !== undefined)
        accuse(
          `The server answered a ${lost.method} with 404: it does not know the session that it has just given`,
          lost.evidence,
        );
      held = false;
    };
    const settle = (): void => {
      release();
      for (const { method, evidence } of later)
        report({
          severity: 'error',
          blame: 'client',
          message: `The client sent a ${method} for a session that the server does not know any more`,
          fix: 'After 404 begin anew: initialize without Mcp-Session-Id.',
          evidence: [lost!.n, ...evidence],
        });
      later = [];
    };
    const knows = (exchange: Exchange): void => {
      known = true;
      if (lost === undefined || exchange.at <= lost.at) return;
      sometimes = true;
      held = false;
      later = [];
      const evidence = [...lost.evidence, ...linesOf(exchange)];
      accuse('The server knows the session only sometimes: it answered 404, and later a result', evidence);
    };
    const refuses = (exchange: Exchange, { n }: NonNullable<Exchange['answer']>): void => {
      const { method, at } = exchange;
      const evidence = linesOf(exchange);
      if (lost !== undefined) {
        release();
        if (at > lost.at && !sometimes) later.push({ method, evidence });
        return;
      }
      lost = { method, evidence, n, at: session.last.at };
      held = !known;
      if (held) return;
      report({
        severity: 'warning',
        blame: 'server',
        message: `The server answered a ${method} with 404: it does not know the session any more`,
        fix: SESSION_FIX.forgotten,
        evidence,
      });
    };

    return {
      anew() {
        settle();
        known = false;
        sometimes = false;
        lost = undefined;
      },
      line: eachExchange(session, (exchange) => {
        const { answer, headers } = exchange;
        const request = requestOf(exchange);
        if (session.mixed || headerOf(headers, SESSION) === undefined || answer === undefined) return;
        if (!isLegacy(request?.revision ?? session.negotiated)) return;
        if (answer.status === 404) refuses(exchange, answer);
        // Some servers accept every notification, GET and DELETE, without looking at the session.
        else if (answer.status < 300 && request !== undefined) knows(exchange);
      }),
      end: settle,
    };
  },
};
