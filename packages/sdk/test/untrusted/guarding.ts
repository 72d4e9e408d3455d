// Responses of authorization servers to a server that verifies tokens.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { introspection, jwt, type VerifyToken } from '../../src/entries/auth.ts';
import { endedFor, type Report } from './report.ts';
import { type Json, mutantsOf, WRONG_FIELDS, write } from './values.ts';

const RESOURCE = 'http://127.0.0.1:1/mcp';

const STATUSES = ['204', '304', '600', '999', '000', '99', '-1', ''];
const UPGRADE = '101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade';

/** No response of an authorization server may cause a programming error in our code. */
async function ended(promise: Promise<unknown>): Promise<void> {
  await promise.catch(endedFor);
}

/** An authorization server on a real port, with one wrong response at a time. */
async function authorizationServer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'k', use: 'sig' };
  const state = { issuer: '', wrong: undefined as { readonly path: string; readonly raw: string } | undefined };
  const good = (path: string): Json => {
    const { issuer } = state;
    if (path === '/jwks') return { keys: [key] };
    if (path === '/introspect')
      return { active: true, aud: RESOURCE, sub: 'ann', client_id: 'c', scope: 'a', exp: 4e9 };
    return { issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` };
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    const { wrong } = state;
    request.resume();
    if (wrong !== undefined && path.startsWith(wrong.path))
      return void request.socket.end(Buffer.from(wrong.raw, 'latin1'));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(good(path)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = await new SignJWT({ sub: 'ann', iss: state.issuer, aud: RESOURCE, exp: 4_102_444_800 })
    .setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'at+jwt' })
    .sign(privateKey);
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { state, good, token, close };
}

function answer(body: string, status = '200 OK', more = ''): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${more}connection: close\r\n\r\n${Buffer.from(body).toString('latin1')}`;
}

/** Tokens that are verified with data of an authorization server. */
export async function verification(report: Report): Promise<void> {
  const as = await authorizationServer();
  const { issuer } = as.state;
  const kinds: readonly [string, () => VerifyToken, readonly string[]][] = [
    ['jwt', () => jwt({ issuer }), ['/.well-known', '/jwks']],
    [
      'introspection',
      () => introspection({ issuer, endpoint: `${issuer}/introspect`, client: { id: 'c', secret: 's' } }),
      ['/introspect'],
    ],
  ];
  const wrongOnce = async (make: () => VerifyToken, path: string, raw: string): Promise<void> => {
    const verify = make();
    as.state.wrong = { path, raw };
    await ended(Promise.resolve(verify(as.token, RESOURCE)));
    as.state.wrong = undefined;
    assert.partialDeepStrictEqual(await make()(as.token, RESOURCE), { subject: 'ann' });
  };
  for (const [kind, make, paths] of kinds)
    for (const path of paths) {
      for (const { where, kind: wrong, message } of mutantsOf({ levels: 3, deep: false })({ document: as.good(path) }))
        await report.check(`${kind}, ${path}: ${where} is ${wrong}`, () =>
          wrongOnce(make, path, answer(write(message['document']))),
        );
      for (const status of [...STATUSES, UPGRADE])
        await report.check(`${kind}, ${path}: the status is ${JSON.stringify(status)}`, () =>
          wrongOnce(make, path, answer(JSON.stringify(as.good(path)), status)),
        );
      for (const [wrong, value] of WRONG_FIELDS)
        await report.check(`${kind}, ${path}: the location is ${wrong}`, () =>
          wrongOnce(make, path, answer('', '302 Found', value === undefined ? '' : `location: ${value}\r\n`)),
        );
    }
  as.close();
}
