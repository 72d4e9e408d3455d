import type { AuthStep, HttpPart } from '../../trace/line.ts';
import { createRecent } from '../recent.ts';
import type { Rule, Seen } from '../rule.ts';
import type { SessionState } from '../session-state.ts';
import { isObject } from '@tenon/values/is-object';
import { METADATA_FIX } from '@tenon/values/login-fault';
import { type Json, listed, listOf, quoted, shown, textOf } from '../words.ts';
import { eachExchange, headerOf, linesOf } from './each.ts';

export const httpChallenge: Rule = {
  id: 'http-challenge',
  title: '401 without WWW-Authenticate',
  blame: ['server'],
  severity: ['error', 'warning'],
  why: 'A server that requires credentials says which kind, and where its metadata is. Otherwise clients have to guess.',
  page: 'authorization',
  watch: (report, session) => ({
    line: eachExchange(session, (exchange) => {
      const { answer } = exchange;
      if (answer?.status !== 401 || answer.headers === undefined) return;
      if (headerOf(answer.headers, 'www-authenticate') !== undefined) return;
      report({
        severity: session.revision === '2025-06-18' ? 'error' : 'warning',
        blame: 'server',
        message: `The server answered a ${exchange.method} with 401 and does not say which credentials it requires`,
        fix: 'Send WWW-Authenticate: Bearer resource_metadata="https://…/.well-known/oauth-protected-resource".',
        evidence: linesOf(exchange),
      });
    }),
  }),
};

/** An answer during a login. */
interface AuthAnswer {
  readonly n: number;
  /** The line of its request, and its URL. */
  readonly asked: number | undefined;
  readonly url: string | undefined;
  readonly status: number;
  readonly step: AuthStep;
  /** The body, if it is a JSON object. */
  readonly body: Json;
}

const MAX_EXCHANGES = 1_000;

/** Calls `look` for each answer to an OAuth request. */
function eachAnswer(look: (answer: AuthAnswer) => void) {
  const asked = createRecent<{ readonly n: number; readonly http: HttpPart }>(MAX_EXCHANGES);
  const bodies = createRecent<AuthAnswer>(MAX_EXCHANGES);
  return ({ line }: Seen): void => {
    const { http, n } = line;
    if (line.kind !== 'auth' || http === undefined) return;
    if (http.part === 'request') return asked.set(http.exchange, { n, http });
    const request = asked.get(http.exchange);
    const body = objectIn(http.body);
    // The body may be in the same line as the head, or in another.
    const head = bodies.get(http.exchange);
    if (http.part === 'answer') {
      const step = http.step ?? request?.http.step ?? 'other';
      const answer = { n, asked: request?.n, url: request?.http.url, status: http.status ?? 0, step, body: body ?? {} };
      if (body !== undefined) return look(answer);
      bodies.set(http.exchange, answer);
    } else if (http.part === 'body' && head !== undefined && body !== undefined) {
      bodies.delete(http.exchange);
      look({ ...head, body });
    }
  };
}

function objectIn(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function evidenceOf({ n, asked }: AuthAnswer): number[] {
  return asked === undefined ? [n] : [asked, n];
}

function isFound({ status, step }: AuthAnswer, wanted: AuthStep): boolean {
  return status === 200 && step === wanted;
}

/** Returns whether the metadata are for this server: they may name the server itself, or a parent path. */
function isAbout(resource: string, target: string): boolean {
  if (!URL.canParse(resource) || !URL.canParse(target)) return false;
  const named = new URL(resource);
  const own = new URL(target);
  const bare = (path: string): string => path.replace(/\/+$/, '');
  return (
    named.origin === own.origin &&
    (bare(own.pathname) === bare(named.pathname) || `${bare(own.pathname)}/`.startsWith(`${bare(named.pathname)}/`))
  );
}

export const authResource: Rule = {
  id: 'auth-resource',
  title: 'The metadata of the protected resource is for another server',
  blame: ['server'],
  severity: ['error'],
  why: 'The server publishes it. A client must not use it: a token for another server would be sent to this one.',
  page: 'authorization-discovery',
  watch: (report, session: SessionState) => ({
    line: eachAnswer((answer) => {
      const target = session.head?.target;
      if (!isFound(answer, 'resource-metadata') || target === undefined || !URL.canParse(target)) return;
      const { resource } = answer.body;
      if (typeof resource === 'string' && isAbout(resource, target)) return;
      report({
        severity: 'error',
        blame: 'server',
        message: `The metadata at ${shown(answer.url ?? 'an unknown address')} names ${typeof resource === 'string' ? `the resource ${quoted(resource)}` : 'no resource'}, but the server is ${shown(target)}`,
        fix: METADATA_FIX.resource,
        evidence: evidenceOf(answer),
      });
    }),
  }),
};

export const authServers: Rule = {
  id: 'auth-servers',
  title: 'The metadata of the protected resource names no authorization server',
  blame: ['server'],
  severity: ['error'],
  why: 'The server publishes it; without an authorization server no client can log in.',
  page: 'authorization-discovery#authorization-server-location',
  watch: (report) => ({
    line: eachAnswer((answer) => {
      if (!isFound(answer, 'resource-metadata') || listOf(answer.body['authorization_servers']).length > 0) return;
      report({
        severity: 'error',
        blame: 'server',
        message: 'The metadata of the protected resource has no authorization_servers',
        fix: METADATA_FIX.servers,
        evidence: evidenceOf(answer),
      });
    }),
  }),
};

/** The issuer whose metadata have this URL. */
function issuerAt(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  const found = /^(.*)\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(\/.*)?$/.exec(pathname);
  return found === null ? undefined : `${origin}${found[1] ?? ''}${found[2] ?? ''}`;
}

export const authIssuer: Rule = {
  id: 'auth-issuer',
  title: 'The metadata of the authorization server names another issuer',
  blame: ['server'],
  severity: ['error'],
  why: 'The authorization server publishes it. A client must not use it, because one server could impersonate another.',
  page: 'authorization-discovery#authorization-server-metadata-discovery',
  watch: (report) => ({
    line: eachAnswer((answer) => {
      const wanted = issuerAt(answer.url);
      if (!isFound(answer, 'server-metadata') || wanted === undefined) return;
      const issuer = textOf(answer.body['issuer']);
      if (issuer?.replace(/\/$/, '') === wanted.replace(/\/$/, '')) return;
      report({
        severity: 'error',
        blame: 'server',
        message: `The metadata of ${shown(wanted)} names ${issuer === undefined ? 'no issuer' : `the issuer ${quoted(issuer)}`}`,
        fix: METADATA_FIX.issuer,
        evidence: evidenceOf(answer),
      });
    }),
  }),
};

export const authPkce: Rule = {
  id: 'auth-pkce',
  title: 'The authorization server does not declare PKCE with S256',
  blame: ['server'],
  severity: ['error'],
  why: 'The authorization server publishes it. Since 2025-11-25 clients refuse to log in without it.',
  page: 'authorization-security#authorization-code-protection',
  watch: (report) => ({
    line: eachAnswer((answer) => {
      if (!isFound(answer, 'server-metadata') || answer.body['authorization_endpoint'] === undefined) return;
      const methods = listOf(answer.body['code_challenge_methods_supported']);
      if (methods.includes('S256')) return;
      report({
        severity: 'error',
        blame: 'server',
        message: `The authorization server ${methods.length === 0 ? 'does not say which' : `supports only ${listed(methods.map(String))} of the`} methods of PKCE${methods.length === 0 ? ' it supports' : ''}`,
        fix: METADATA_FIX.pkce,
        evidence: evidenceOf(answer),
      });
    }),
  }),
};

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function isOpen(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname));
}

export const authHttps: Rule = {
  id: 'auth-https',
  title: 'An address of the authorization server is not https',
  blame: ['server'],
  severity: ['error'],
  why: 'The authorization server publishes it. Codes and tokens would be sent unencrypted, or to a program instead of a page.',
  page: 'authorization-security#communication-security',
  watch: (report) => ({
    line: eachAnswer((answer) => {
      if (!isFound(answer, 'server-metadata')) return;
      const open = Object.entries(answer.body).filter(([name, value]) => name.endsWith('_endpoint') && isOpen(value));
      if (open.length === 0) return;
      report({
        severity: 'error',
        blame: 'server',
        message: `The authorization server publishes addresses that are not https: ${listed(open.map(([name, value]) => `${name} ${String(value)}`))}`,
        fix: 'Use https; http only on the own machine.',
        evidence: evidenceOf(answer),
      });
    }),
  }),
};

/** OAuth error codes by the side that has to act on them. */
const OF_CLIENT: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'invalid_scope',
  'invalid_target',
  'invalid_redirect_uri',
  'invalid_client_metadata',
]);
const OF_SERVER: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable']);

export const authRefused: Rule = {
  id: 'auth-refused',
  title: 'The authorization server refused',
  blame: ['client', 'server', 'unknown'],
  severity: ['warning'],
  why: 'By its code: invalid requests are the client’s fault, temporary failures the server’s; everything else is unknown.',
  page: 'authorization#error-handling',
  watch: (report) => ({
    line: eachAnswer((answer) => {
      const code = textOf(answer.body['error']);
      if (code === undefined || answer.step.endsWith('metadata')) return;
      const description = textOf(answer.body['error_description']);
      report({
        severity: 'warning',
        blame: OF_CLIENT.has(code) ? 'client' : OF_SERVER.has(code) ? 'server' : 'unknown',
        message: `The authorization server refused (${answer.step}) with ${quoted(code, 60)}${description === undefined ? '' : `. Its description: ${quoted(description, 200)}`}`,
        fix: OF_CLIENT.has(code)
          ? 'Look at the content of the request: client, redirect URI, scopes, resource.'
          : 'Try again, or log in anew.',
        evidence: evidenceOf(answer),
      });
    }),
  }),
};
