// HTTP requests of clients apart from their messages: methods, URLs and headers, byte for byte.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import { jwt, protectedResource } from '../../src/entries/auth.ts';
import { serveHttp, type ServedHttp } from '../../src/entries/node.ts';
import { app } from './app.ts';
import { type Report, watchedLog } from './report.ts';
import { type Json, mutantsOf, WRONG_FIELDS, write } from './values.ts';

type Fields = Readonly<Record<string, string | undefined>>;

/** The client ends its side after this many milliseconds, so that a server that waits for more does not wait forever. */
const PATIENCE_MS = 20;

/** Sends bytes, one for each character, and returns the first bytes of the response when the connection has ended. */
function exchange(port: number, text: string, patienceMs = PATIENCE_MS): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(text, 'latin1')));
    const late = setTimeout(() => socket.end(), patienceMs);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      // Streams do not end on their own.
      socket.end();
    });
    // A server may close the connection in the middle of a request that it rejects.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(late);
      resolve(answer);
    });
  });
}

function bytesOf(method: string, target: string, fields: Fields, body = ''): string {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`],
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  progressToken: 1,
};
function call(params: Json): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: MODERN_META } });
}
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
});
const LEGACY_CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'forecast', arguments: { city: 'Oslo' }, _meta: { progressToken: 2 } },
});

/** A correct request, of which one header at a time is made wrong. */
interface Right {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly fields: Fields;
  readonly body: string;
}

function rightOnes(host: string, session: string): Right[] {
  const common = { host, connection: 'close', origin: `http://${host}` };
  const posted = (body: string): Fields => ({
    ...common,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(body.length),
    'content-encoding': undefined,
    'transfer-encoding': undefined,
    expect: undefined,
  });
  const inSession = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  const routed = call({ name: 'route', arguments: { region: 'eu', count: 7 } });
  const modern = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'route',
    'mcp-param-region': 'eu',
    'mcp-param-count': '7',
    'mcp-session-id': undefined,
    traceparent: undefined,
  };
  const target = '/mcp';
  const stream = { ...common, ...inSession, accept: 'text/event-stream' };
  return [
    { name: 'modern call', method: 'POST', target, fields: { ...posted(routed), ...modern }, body: routed },
    { name: 'initialize', method: 'POST', target, fields: { ...posted(INITIALIZE), ...inSession }, body: INITIALIZE },
    {
      name: 'legacy call',
      method: 'POST',
      target,
      fields: { ...posted(LEGACY_CALL), ...inSession },
      body: LEGACY_CALL,
    },
    { name: 'listening', method: 'GET', target, fields: { ...stream, 'last-event-id': undefined }, body: '' },
    { name: 'resuming', method: 'GET', target, fields: { ...stream, 'last-event-id': `${session}.1.1` }, body: '' },
    {
      name: 'leaving',
      method: 'DELETE',
      target,
      fields: { ...common, ...inSession, 'mcp-session-id': 'none' },
      body: '',
    },
    {
      name: 'asking as a page',
      method: 'OPTIONS',
      target,
      fields: { ...common, 'access-control-request-method': 'POST', 'access-control-request-headers': 'mcp-name' },
      body: '',
    },
    {
      name: 'listening as of old',
      method: 'GET',
      target: '/sse',
      fields: { ...common, accept: 'text/event-stream' },
      body: '',
    },
    {
      name: 'posting as of old',
      method: 'POST',
      target: '/messages?sessionId=x',
      fields: posted(INITIALIZE),
      body: INITIALIZE,
    },
  ];
}

/** Headers that have another meaning in each request. */
const SPECIAL = /^(?:mcp-|last-event-id)/;

const TARGETS = [
  '',
  '*',
  '//',
  '/mcp?',
  '/mcp#x',
  '/%',
  '/%ff%00',
  '/mcp/../x',
  'http://[',
  'http://evil.example/mcp',
  'mcp',
];
const METHODS = ['', 'get', 'TRACE', 'CONNECT', 'PRI', 'M-SEARCH', '\x01', 'POST'.repeat(1_000)];

export async function httpOfClients(report: Report): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] };
  const issuer = 'https://as.example.com';
  const { log, fault } = watchedLog();
  const options = { port: 0, signals: false, sse: true, drainMs: 1, onTrace() {}, log } as const;
  const open = await serveHttp(app, options);
  const resource = 'https://mcp.example.com/mcp';
  const guarded = await serveHttp(app, {
    ...options,
    auth: protectedResource({ resource, authorizationServers: [issuer], verify: jwt({ issuer, jwks }) }),
  });
  const portOf = ({ url }: ServedHttp): number => Number(new URL(url).port);
  const hostOf = (served: ServedHttp): string => `127.0.0.1:${portOf(served)}`;
  const right = (served: ServedHttp, session = 'none'): Right[] => rightOnes(hostOf(served), session);
  const token = (claims: Json): Promise<string> =>
    new CompactSign(new TextEncoder().encode(write(claims)))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
      .sign(privateKey);
  const claims = { sub: 'ann', iss: issuer, aud: resource, exp: 4_102_444_800 };
  const authorization = `Bearer ${await token(claims)}`;
  const send = (served: ServedHttp, one: Right, more: Fields = {}, patienceMs?: number): Promise<string> =>
    exchange(portOf(served), bytesOf(one.method, one.target, { ...one.fields, ...more }, one.body), patienceMs);
  /** The server still answers a correct request. */
  const well = async (served: ServedHttp): Promise<void> => {
    const answer = await send(served, right(served)[0]!, served === guarded ? { authorization } : {}, 10_000);
    assert.match(answer, /^HTTP\/1\.1 200 /, answer.slice(0, 300));
    fault();
  };
  await well(open);
  await well(guarded);
  const begun = await send(open, right(open)[1]!, { 'mcp-session-id': undefined }, 10_000);
  const session = /mcp-session-id: (\S+)/i.exec(begun)![1]!;

  const tried = new Set<string>();
  for (const one of right(open, session)) {
    // Headers that are the same in all requests are made wrong only in the first of its method.
    const names = Object.keys(one.fields).filter((name) => SPECIAL.test(name) || !tried.has(`${one.method} ${name}`));
    for (const name of names) tried.add(`${one.method} ${name}`);
    for (const name of names)
      for (const [kind, value] of WRONG_FIELDS)
        await report.check(`${one.name}: ${name} is ${kind}`, async () => {
          await send(open, one, { [name]: value });
          await well(open);
        });
    for (const target of TARGETS)
      await report.check(`${one.name}: the target is ${JSON.stringify(target)}`, async () => {
        await send(open, { ...one, target });
        await well(open);
      });
  }
  for (const method of METHODS)
    await report.check(`the method is ${JSON.stringify(method.slice(0, 20))}`, async () => {
      await send(open, { ...right(open)[0]!, method });
      await well(open);
    });
  for (const [kind, value] of WRONG_FIELDS)
    for (const scheme of ['', 'Bearer ', 'DPoP '])
      for (const name of ['authorization', 'dpop'])
        await report.check(`${name} is ${scheme}${kind}`, async () => {
          await send(guarded, right(guarded)[0]!, {
            authorization: `DPoP ${authorization.slice(7)}`,
            [name]: value === undefined ? undefined : scheme + value,
          });
          await well(guarded);
        });
  const more = { client_id: 'c', scope: 'a', scp: ['a'], cnf: { jkt: 'x' }, iat: 1, nbf: 1, jti: 'j', azp: 'c' };
  for (const { where, kind, message } of mutantsOf({ levels: 2, deep: false })({ ...claims, ...more }))
    await report.check(`claim ${where} is ${kind}`, async () => {
      await send(guarded, right(guarded)[0]!, { authorization: `Bearer ${await token(message)}` });
      await well(guarded);
    });
  await open.close();
  await guarded.close();
}
