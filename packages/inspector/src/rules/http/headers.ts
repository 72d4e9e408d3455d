import { mirroredParams } from 'tenon/internal';
import { claimOf, type Request } from '../message.ts';
import { isModern, MODERN, type Revision } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import type { SessionState } from '../session-state.ts';
import { isObject } from '@tenon/values/is-object';
import { mediaTypeOf } from '@tenon/values/media-type';
import { type Json, objectOf, quoted, textOf } from '../words.ts';
import { eachExchange, headerOf, isHidden, linesOf, requestOf } from './each.ts';
import type { Exchange } from './exchanges.ts';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

/** Returns whether a media type is accepted. Weights and parameters are ignored. */
function accepts(accept: string, type: string): boolean {
  return accept.split(',').some((range) => mediaTypeOf(range) === type);
}

export const httpAccept: Rule = {
  id: 'http-accept',
  title: 'A request does not accept both kinds of answers',
  blame: ['client'],
  severity: ['error', 'warning'],
  why: 'The client says what it accepts. A server may answer a POST either with JSON or with a stream.',
  page: 'http',
  watch: (report, session) => ({
    line: eachExchange(session, (exchange) => {
      const { method, headers } = exchange;
      if (headers === undefined || (method !== 'POST' && method !== 'GET')) return;
      const accept = headerOf(headers, 'accept') ?? '';
      const wanted = method === 'POST' ? [JSON_TYPE, STREAM_TYPE] : [STREAM_TYPE];
      const lacks = wanted.filter((type) => !accepts(accept, type));
      if (lacks.length === 0 || isHidden(accept)) return;
      const any = accepts(accept, '*/*');
      report({
        severity: any ? 'warning' : 'error',
        blame: 'client',
        message: `A ${method} has ${accept === '' ? 'no Accept header' : `the Accept header ${quoted(accept)}`}: ${lacks.join(' and ')} ${any ? 'should be named' : 'is missing'}`,
        fix: `Send Accept: ${wanted.join(', ')}`,
        evidence: linesOf(exchange),
      });
    }),
  }),
};

const VERSION = 'mcp-protocol-version';
const FIRST: Revision = '2025-06-18';

export const httpVersionHeader: Rule = {
  id: 'http-version-header',
  title: 'MCP-Protocol-Version is missing, or says another version',
  blame: ['client'],
  severity: ['error', 'warning'],
  why: 'The client sends it with each request: since 2026-07-28 the version of _meta, since 2025-06-18 the one agreed on.',
  page: 'http#protocol-version-header',
  watch: (report, session) => {
    let agreedAt: number | undefined;
    const judge = (exchange: Exchange): readonly ['error' | 'warning', string] | undefined => {
      const given = headerOf(exchange.headers, VERSION);
      const claim = claimOf(requestOf(exchange)?.meta ?? {});
      if (typeof claim === 'string') {
        if (given === undefined) return ['error', 'is missing'];
        return given === claim ? undefined : ['error', `is ${quoted(given)}, but _meta says ${quoted(claim)}`];
      }
      const { negotiated } = session;
      if (negotiated === undefined || negotiated < FIRST || agreedAt === undefined || exchange.at <= agreedAt)
        return undefined;
      if (given === undefined) return ['error', 'is missing'];
      return given === negotiated ? undefined : ['warning', `is ${quoted(given)}, but ${negotiated} was agreed on`];
    };
    return {
      anew() {
        agreedAt = undefined;
      },
      response({ request, at }) {
        if (request?.method === 'initialize') agreedAt = at;
      },
      line: eachExchange(session, (exchange) => {
        if (exchange.headers === undefined || isHidden(headerOf(exchange.headers, VERSION))) return;
        const problem = judge(exchange);
        if (problem === undefined) return;
        report({
          severity: problem[0],
          blame: 'client',
          message: `The header MCP-Protocol-Version of a ${exchange.method} ${problem[1]}`,
          fix: 'Send it with every request after initialize; since 2026-07-28 with every request, as in _meta.',
          evidence: linesOf(exchange),
          revision: requestOf(exchange)?.revision ?? session.negotiated,
        });
      }),
    };
  },
};

/** The decoded value of a header: values that are not plain text are in base64. Undefined: it is invalid. */
function decoded(value: string): string | undefined {
  const found = /^=\?base64\?(.*)\?=$/s.exec(value.trim())?.[1];
  if (found === undefined) return value.trim();
  try {
    const bytes = Uint8Array.from(atob(found), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The member of the params that Mcp-Name mirrors. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** The problem with a mirrored header, if any. */
function mirrorProblem(name: string, given: string | undefined, body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  const wanted = typeof body === 'string' ? body : String(body);
  if (given === undefined) return `${name} is missing (the body says ${quoted(wanted)})`;
  if (isHidden(given)) return undefined;
  const value = decoded(given);
  if (value === wanted || (typeof body === 'number' && Number(value) === body)) return undefined;
  return `${name} ${value === undefined ? 'cannot be decoded' : `is ${quoted(value)}`}, but the body says ${quoted(wanted)}`;
}

export const httpMirror: Rule = {
  id: 'http-mirror',
  title: 'Mcp-Method, Mcp-Name or Mcp-Param-… differ from the body',
  blame: ['client'],
  severity: ['error'],
  why: 'The client writes headers and body. Servers must refuse a difference (-32020), because others may have acted on the headers.',
  page: 'http#standard-request-headers',
  watch: (report, session) => ({
    line: eachExchange(session, (exchange) => {
      const request = requestOf(exchange);
      const { headers } = exchange;
      if (request === undefined || headers === undefined || exchange.method !== 'POST') return;
      if (typeof claimOf(request.meta) !== 'string' || request.redacted) return;
      const name = textOf(request.params[NAMED_BY.get(request.method) ?? '']);
      const problems = [
        mirrorProblem('Mcp-Method', headerOf(headers, 'mcp-method'), request.method),
        mirrorProblem('Mcp-Name', headerOf(headers, 'mcp-name'), name),
        ...paramProblems(request, headers, session),
      ];
      for (const problem of problems) {
        if (problem === undefined) continue;
        report({
          severity: 'error',
          blame: 'client',
          message: `In a ${request.method} the header ${problem}`,
          fix: 'Write the headers from the body, right before it is sent. Values that are not plain ASCII are encoded as =?base64?…?=.',
          evidence: linesOf(exchange),
          revision: MODERN,
        });
      }
    }),
  }),
};

/** Problems with the arguments that the tool, as listed before the call, requires in headers. */
function paramProblems(request: Request, headers: Json, { tools }: SessionState): readonly (string | undefined)[] {
  if (request.method !== 'tools/call' || !isModern(request.revision)) return [];
  const tool = tools.get(String(request.params['name']));
  const schema = tool?.entry['inputSchema'];
  if (tool === undefined || tool.n > request.n || !isObject(schema)) return [];
  const mirrored = mirroredParams(schema);
  if ('problem' in mirrored) return [];
  return mirrored.map(({ name, header, path }) => {
    let value: unknown = request.params['arguments'];
    for (const step of path) value = Object.hasOwn(objectOf(value), step) ? objectOf(value)[step] : undefined;
    return mirrorProblem(`Mcp-Param-${name}`, headerOf(headers as Record<string, string>, header), value);
  });
}
