import type { ServerView } from '../../../src/api/views.ts';
import type { TraceLine } from '../../../src/trace/line.ts';
import { mirrorsOf } from '../../../src/values/mirror-headers.ts';
import { methodOf, REDACTED } from './copies.ts';
import { pasteable, quoted } from './shell.ts';

/** The mirrored headers of a request of 2026-07-28. */
function mirrored(text: string): readonly string[] {
  return Object.entries(mirrorsOf(text)).map(([name, value]) => `${name}: ${value}`);
}

function initializeText(revision: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 'initialize',
    method: 'initialize',
    params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'curl', version: '1' } },
  });
}
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** A server without sessions returns no id; curl then omits the empty header. */
const SESSION = '-H "mcp-session-id: $session"';
const FIND_SESSION = `tr -d '\\r' | awk 'tolower($1) == "mcp-session-id:" { print $2 }'`;

/** A curl command. `more`: further words, already quoted for the shell. */
function post(server: ServerView, headers: readonly string[], body: string, more: readonly string[] = []): string {
  const { words: [address = ''] = [server.target], headers: own = [] } = server.launch ?? {};
  const all = [
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    ...own.map((name) => `${name}: ${REDACTED}`),
    ...headers,
  ];
  return [
    // Without this option, brackets and braces in a URL stand for several URLs.
    `curl ${/[[\]{}]/.test(address) ? '--globoff ' : ''}${quoted(address)}`,
    ...more,
    ...all.map((header) => `-H ${quoted(header)}`),
    `-d ${quoted(pasteable(body))}`,
  ].join(' \\\n  ');
}

/** Why a request cannot be sent with curl. Undefined: it can, or curl does not apply. */
export function whyNoCurl({ transport, launch }: ServerView): string | undefined {
  return transport === 'http' && launch?.pair === true
    ? 'Not for curl: over HTTP+SSE the answer comes on another connection than the request.'
    : undefined;
}

/** The same request with curl, including the requests that must come before it. Undefined if that is not possible. */
export function asCurl({ text }: TraceLine, server: ServerView): string | undefined {
  const { transport, era, revision } = server;
  if (transport !== 'http' || whyNoCurl(server) !== undefined) return undefined;
  const spoken = revision === undefined ? [] : [`mcp-protocol-version: ${revision}`];
  if (era === 'modern') return post(server, [...spoken, ...mirrored(text)], text);
  if (methodOf(text) === 'initialize') return post(server, [], text);
  const initialize = post(server, [], initializeText(revision ?? '2025-11-25'), ['-sS -D - -o /dev/null']);
  return [
    `session=$(${initialize} | ${FIND_SESSION})`,
    post(server, spoken, INITIALIZED, ['-sS', SESSION]),
    post(server, spoken, text, [SESSION]),
  ].join(' &&\n');
}
