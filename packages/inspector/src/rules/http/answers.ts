import { errorOf, resultOf } from '../message.ts';
import { isModern } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { quoted, shown } from '../words.ts';
import { eachEnd, eachExchange, headerOf, linesOf, requestOf, typeOf } from './each.ts';
import { otherPaths } from '@tenon/values/find-endpoint';
import type { Exchange } from './exchanges.ts';

const ANSWERS: ReadonlySet<string> = new Set(['application/json', 'text/event-stream']);
const PAGE = 'text/html';

export const httpAnswer: Rule = {
  id: 'http-answer',
  title: 'A request got an HTTP answer that cannot contain a JSON-RPC answer',
  blame: ['server', 'unknown'],
  severity: ['error'],
  why: 'The server answers a request with JSON or with a stream. A web page may come from the server, or from a proxy before it.',
  page: 'http',
  watch: (report, session) => ({
    line: eachExchange(session, (exchange) => {
      const { answer, method } = exchange;
      const request = requestOf(exchange);
      if (answer === undefined || answer.headers === undefined || request === undefined || method !== 'POST') return;
      const { status, headers } = answer;
      const type = typeOf(headers);
      // A cancelled request may stay unanswered.
      if (status < 200 || status > 299 || ANSWERS.has(type) || request.cancelledAt !== undefined) return;
      const page = type === PAGE;
      const empty = status === 202 || status === 204 || type === '';
      report({
        severity: 'error',
        blame: page ? 'unknown' : 'server',
        message: `${request.method} was answered with ${status} and ${page ? 'a web page' : empty ? 'nothing that could be read' : `content of the type ${quoted(type)}`}`,
        fix: page
          ? 'Is this the address of the MCP endpoint? Many are at /mcp. A login page of a proxy looks like this, too.'
          : 'Answer a request with application/json, or with text/event-stream. 202 is for notifications.',
        evidence: linesOf(exchange),
        revision: request.revision,
      });
    }),
  }),
};

export const httpNotification: Rule = {
  id: 'http-notification',
  title: 'A notification was accepted with a status other than 202',
  blame: ['server'],
  severity: ['error'],
  why: 'The server accepts messages that need no answer with 202 and no body.',
  page: 'http',
  watch: (report, session) => ({
    line: eachExchange(session, (exchange) => {
      const { answer, carried, method } = exchange;
      if (answer === undefined || method !== 'POST' || carried.length === 0) return;
      if (answer.status < 200 || answer.status > 299 || answer.status === 202) return;
      if (carried.some(({ kind }) => kind !== 'notification' && kind !== 'response')) return;
      const [first] = carried;
      report({
        severity: 'error',
        blame: 'server',
        message: `The server took ${first!.kind === 'notification' ? shown(first!.method) : 'a response'} with the status ${answer.status}, not with 202`,
        fix: 'Answer notifications and responses with 202 and an empty body.',
        evidence: linesOf(exchange),
        revision: first!.revision,
      });
    }),
  }),
};

/** The status for each error code in 2026-07-28. */
const STATUS: ReadonlyMap<unknown, number> = new Map([
  [-32_700, 400],
  [-32_600, 400],
  [-32_020, 400],
  [-32_021, 400],
  [-32_022, 400],
  [-32_601, 404],
]);

export const httpStatus: Rule = {
  id: 'http-status',
  title: 'The HTTP status does not fit the answer',
  blame: ['server'],
  severity: ['error'],
  why: 'Since 2026-07-28 the status also says what kind of error it is; proxies read only that.',
  page: 'http#server-validation',
  watch: (report, session) => ({
    line: eachEnd(session, (exchange) => {
      const { answer, first } = exchange;
      const request = requestOf(exchange);
      if (answer === undefined || first?.kind !== 'response' || !isModern(request?.revision)) return;
      if (!session.provenModern || typeOf(answer.headers) !== 'application/json') return;
      const code = errorOf(first)?.['code'];
      const wanted = resultOf(first) === undefined ? STATUS.get(code) : 200;
      if (wanted === undefined || wanted === answer.status) return;
      report({
        severity: 'error',
        blame: 'server',
        message: `${code === undefined ? 'A result' : `The error ${String(code)}`} came with the status ${answer.status}, not ${wanted}`,
        fix: `Answer it with the status ${wanted}.`,
        evidence: [...linesOf(exchange), first.n],
        revision: request!.revision,
      });
    }),
  }),
};

export const httpGet: Rule = {
  id: 'http-get',
  title: 'A GET was answered neither with a stream nor with 405',
  blame: ['server'],
  severity: ['error', 'warning'],
  why: 'Up to 2025-11-25 a server offers a stream at GET, or says 405. Clients treat 404 as the end of their session.',
  page: 'http#listening-for-messages-from-the-server',
  watch: (report, session) => ({
    line: eachExchange(session, (exchange) => {
      const { answer, method } = exchange;
      if (answer === undefined || method !== 'GET' || session.negotiated === undefined) return;
      const { status, headers } = answer;
      const good = status >= 200 && status < 300;
      if (good ? typeOf(headers) === 'text/event-stream' : status !== 404 && status !== 501) return;
      report({
        severity: good ? 'error' : 'warning',
        blame: 'server',
        message: `A GET was answered with ${status}${good ? ` and content of the type ${quoted(typeOf(headers))}` : ''}`,
        fix: 'Answer a GET with text/event-stream, or with 405 if there is no such stream.',
        evidence: linesOf(exchange),
        revision: session.negotiated,
      });
    }),
  }),
};

export const wrongPath: Rule = {
  id: 'wrong-path',
  title: 'There is no MCP endpoint at this address',
  blame: ['unknown'],
  severity: ['error'],
  why: 'Something answers there, and it is not MCP. The trace does not say whether the address or the server is wrong.',
  page: 'http',
  watch: (report, session) => {
    let spoken = false;
    let reported = false;
    let failed: { readonly message: string; readonly url: string; readonly evidence: readonly number[] } | undefined;
    const tell = (): void => {
      if (spoken || reported || failed === undefined) return;
      reported = true;
      report({
        severity: 'error',
        blame: 'unknown',
        message: failed.message,
        fix: `Look at the path: many servers are at ${otherPaths(failed.url)}.`,
        evidence: failed.evidence,
      });
    };
    return {
      text({ line }) {
        if (line.from === 'server') spoken = true;
      },
      line(seen) {
        const { line } = seen;
        if (line.kind === 'timer' || session.closed?.n === line.n) return tell();
        const exchange = line.kind === 'http' ? session.exchanges.of(line) : undefined;
        if (spoken || exchange?.answer === undefined || line.http?.part !== 'end') return;
        const { status } = exchange.answer;
        if (status !== 404 && status !== 405 && status !== 410) return;
        const evidence = [...(failed?.evidence ?? []), ...linesOf(exchange)].slice(-10);
        // Clients do not always read the page in the answer to a GET.
        const words = exchange.body === undefined ? failed?.message : undefined;
        failed = { message: words ?? refusalOf(exchange), url: exchange.url ?? '', evidence };
        // A client that tries all revisions sends the GET last.
        if (exchange.method === 'GET') tell();
      },
      end: tell,
    };
  },
};

/** A description of an answer that is not MCP. */
function refusalOf({ url, answer, body }: Exchange): string {
  const page = typeOf(answer?.headers) === PAGE;
  const words = (body?.text ?? '')
    .slice(0, 10_000)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const excerpt = words === '' ? '' : `: ${quoted(words, 100)}`;
  return `${url ?? 'The address'} answers with ${answer?.status}${page ? ' and a web page' : ''}, and without a message${excerpt}`;
}

export const httpRedirect: Rule = {
  id: 'http-redirect',
  title: 'The server redirects the client',
  blame: ['server'],
  severity: ['warning', 'info'],
  why: 'The server answers with another address. Clients do not take their credentials to another origin, and may not go there at all.',
  page: 'http',
  watch: (report, session) => ({
    line: eachExchange(session, (exchange) => {
      const { answer, url, method } = exchange;
      const location = headerOf(answer?.headers, 'location');
      if (answer === undefined || location === undefined || answer.status < 300 || answer.status > 399) return;
      const from = url === undefined || !URL.canParse(url) ? undefined : new URL(url);
      const to = URL.canParse(location, url) ? new URL(location, url) : undefined;
      if (from === undefined || to === undefined) return;
      const away = from.origin !== to.origin;
      if (!away && method !== 'POST') return;
      report({
        severity: away ? 'warning' : 'info',
        blame: 'server',
        message: `A ${method} to ${shown(from.origin + from.pathname)} was answered with ${answer.status}: ${away ? 'the origin' : 'the address'} ${shown(away ? to.origin : to.pathname)}`,
        fix: 'Give clients the last address. A POST that is sent on with 301, 302 or 303 becomes a GET.',
        evidence: linesOf(exchange),
      });
    }),
  }),
};
