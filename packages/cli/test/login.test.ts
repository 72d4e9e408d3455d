// Logging in from the shell: at a protected server, with an authorization server that approves at once.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { server, tool } from 'tenon';
import { protectedResource } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import { failureIn, tenon } from './run-tenon.ts';

let url = '';
let folder = '';
/** The number of revocations that the authorization server received. */
let revoked = 0;
let env: Record<string, string>;
const closing: (() => unknown)[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-login-'));
  env = { TENON_TOKENS: join(folder, 'state', 'tokens.json'), TENON_TOKENS_SECRET: 'for tests' };
  let issuer = '';
  const authority = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    const json = (status: number, value: object): unknown =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri')!);
      back.searchParams.set('code', 'code');
      back.searchParams.set('state', searchParams.get('state')!);
      return response.writeHead(302, { location: back.href }).end();
    }
    if (pathname === '/revoke') {
      revoked++;
      return json(200, {});
    }
    if (pathname === '/register') return json(201, { client_id: 'made' });
    if (pathname === '/token')
      return json(200, { access_token: 'SECRET-TOKEN', token_type: 'Bearer', expires_in: 3_600, scope: 'notes' });
    return json(pathname === '/.well-known/oauth-authorization-server' ? 200 : 404, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    });
  });
  await new Promise<void>((resolve) => authority.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(authority.address() as { port: number }).port}`;
  const app = server({ name: 'guarded', tools: { whoami: tool({}, (_, ctx) => ctx.principal?.id ?? 'anonymous') } });
  const first = await serveHttp(app, { port: 0, signals: false });
  await first.close();
  const served = await serveHttp(app, {
    port: first.port,
    signals: false,
    drainMs: 100,
    auth: protectedResource({
      resource: first.url,
      authorizationServers: [issuer],
      scopes: ['notes'],
      verify: (token) =>
        token === 'SECRET-TOKEN' ? { issuer, subject: 'ann', scopes: ['notes'], claims: {} } : undefined,
    }),
  });
  url = served.url;
  closing.push(
    () => served.close(),
    () => authority.close(),
    () => rm(folder, { recursive: true, force: true }),
  );
});
after(async () => {
  for (const close of closing) await close();
});

test('without a login the exit code is 3, and the message says how to get one', async () => {
  const list = await tenon(['list', url], { env });
  assert.equal(list.code, 3);
  assert.match(String(failureIn(list)['fix']), /tenon login/);
  const whoami = await tenon(['whoami', url], { env });
  assert.deepEqual([whoami.code, failureIn(whoami)['code']], [3, 'not_logged_in']);
});

/** Acts like a browser that opens the page. */
async function openAsBrowser(page: string): Promise<string> {
  const back = (await fetch(page, { redirect: 'manual' })).headers.get('location')!;
  return (await fetch(back)).text();
}

test('login goes through the browser, and the other verbs use the stored login until logout', async () => {
  let opened: Promise<string> | undefined;
  const login = await tenon(['login', url], {
    env,
    onStderr(stderr) {
      const page = /browser: (\S+)\n/.exec(stderr)?.[1];
      if (page !== undefined) opened ??= openAsBrowser(page);
    },
  });
  assert.match(String(await opened), /close this page/);
  assert.equal(login.code, 0, login.stderr);
  const shown = JSON.parse(login.stdout) as Record<string, unknown>;
  assert.deepEqual([shown['server'], shown['scope'], shown['clientId']], [url, 'notes', 'made']);
  assert.doesNotMatch(login.stdout + login.stderr, /SECRET-TOKEN/);

  const call = await tenon(['call', 'whoami', url], { env });
  assert.match(JSON.parse(call.stdout).content[0].text, /\|ann$/);
  for (const verb of [['doctor'], ['check', '--lint', '--wire', '--era', 'all']]) {
    const looked = await tenon([...verb, url], { env });
    assert.equal(looked.code, 0, looked.stderr + looked.stdout);
    assert.doesNotMatch(looked.stdout + looked.stderr, /SECRET-TOKEN/);
  }
  assert.deepEqual(JSON.parse((await tenon(['whoami', url], { env })).stdout), shown);
  const path = env['TENON_TOKENS']!;
  assert.doesNotMatch(await readFile(path, 'utf8'), /SECRET-TOKEN/);
  assert.equal((await stat(path)).mode & 0o077, 0);

  const logout = await tenon(['logout', url], { env });
  assert.equal(logout.code, 0, logout.stderr);
  assert.deepEqual(JSON.parse(logout.stdout), { server: url, login: 'revoked' });
  assert.equal(revoked, 1);
  assert.equal((await tenon(['call', 'whoami', url], { env })).code, 3);
});

test('without a browser, the redirect URL is pasted; anything else is asked for again', async () => {
  const paste = (texts: (back: string) => string) => {
    let asked = false;
    return tenon(['login', url, '--paste'], {
      env,
      input: { later: true },
      onStderr(stderr, _, enter) {
        const page = /^(http:\S+)\n/m.exec(stderr)?.[1];
        if (page === undefined || asked) return;
        asked = true;
        void fetch(page, { redirect: 'manual' }).then((response) => enter(texts(response.headers.get('location')!)));
      },
    });
  };
  const login = await paste((back) => `${back}\n`);
  assert.equal(login.code, 0, login.stderr);
  assert.match((JSON.parse(login.stdout) as { issuer: string }).issuer, /^http/);
  await tenon(['logout', url], { env });
  const wrong = await paste(() => 'https://example.com/?code=other\n');
  assert.equal(wrong.code, 3);
  assert.match(wrong.stderr, /No address was pasted/);
  const forged = await paste((back) => back.replace(/state=[^&]+/, 'state=other'));
  assert.equal(forged.code, 3);
  assert.match(forged.stderr, /answer to the login is invalid/);
});
