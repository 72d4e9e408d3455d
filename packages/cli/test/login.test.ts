// Logging in from the shell: at a protected server, with an authorization server that approves at once.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TraceLine } from '@tenon/inspector/trace';
import { server, tool } from 'tenon';
import { protectedResource } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import { failureIn, type Outcome, tenon } from './run-tenon.ts';
import { openAsBrowser, withBrowser } from './with-browser.ts';

let url = '';
let folder = '';
/** The number of revocations that the authorization server received. */
let revoked = 0;
/** Does it publish its metadata? */
let hasMetadata = true;
/** The number of clients that it registered. */
let registered = 0;
let env: Record<string, string>;
const closing: (() => unknown)[] = [];

function tokenFor(scope: string): string {
  return `SECRET-TOKEN-${Buffer.from(scope).toString('base64url')}`;
}

function scopesOf(token: string): string[] {
  return Buffer.from(token.slice('SECRET-TOKEN-'.length), 'base64url').toString().split(' ');
}

/** The command does not check the signature, because the token comes from the authorization server itself. */
function idToken(iss: string, aud: string): string {
  const now = Math.floor(Date.now() / 1_000);
  const parts = [{ alg: 'RS256' }, { iss, aud, sub: 'ann', iat: now, exp: now + 60 }, 'signature'];
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-login-'));
  env = { TENON_TOKENS: join(folder, 'state', 'tokens.json'), TENON_TOKENS_SECRET: 'for tests' };
  let issuer = '';
  const authority = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    const json = (status: number, value: object): unknown =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri')!);
      back.searchParams.set('code', searchParams.get('scope') ?? '');
      back.searchParams.set('state', searchParams.get('state')!);
      return response.writeHead(302, { location: back.href }).end();
    }
    if (pathname === '/revoke') {
      revoked++;
      return json(200, {});
    }
    if (pathname === '/register') return json(201, { client_id: `made-${++registered}` });
    if (pathname === '/token') {
      const params = new URLSearchParams((await request.toArray()).join(''));
      const scopes = params.get('code')!.split(' ');
      const scope = scopes.filter((one) => one !== 'notes:all').join(' ');
      const id_token = scopes.includes('openid') ? idToken(issuer, params.get('client_id')!) : undefined;
      const access_token = tokenFor(scope);
      return json(200, { access_token, id_token, token_type: 'Bearer', expires_in: 3_600, scope });
    }
    return json(hasMetadata && pathname === '/.well-known/oauth-authorization-server' ? 200 : 404, {
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
  const app = server({
    name: 'guarded',
    tools: {
      whoami: tool({}, (_, ctx) => ctx.principal?.id ?? 'anonymous'),
      add_note: tool({ scopes: ['notes:write'] }, () => 'added'),
    },
  });
  // To know the port before the metadata, which contain it.
  const first = await serveHttp(server({ name: 'guarded' }), { port: 0, signals: false });
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
        token.startsWith('SECRET-TOKEN-') ? { issuer, subject: 'ann', scopes: scopesOf(token), claims: {} } : undefined,
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

/** The lines of the doctor about the server, without those for messages and the address. */
async function diagnosis(): Promise<string[]> {
  const { stdout } = await tenon(['doctor', '--text', url], { env });
  return stdout
    .split('\n')
    .filter((line) => /It supports|Its l/.test(line))
    .map((line) => line.replaceAll(/ +/g, ' '));
}

test('without a login, the doctor says what it could not test; with invalid metadata, that the login does not work', async () => {
  assert.deepEqual(await diagnosis(), [
    '- It supports 2026-07-28 not tested: it requires a login (HTTP 401)',
    '- It supports a revision with initialize not asked',
    '- Its login works not tested: not logged in',
    '- Its lists can be read not tested',
  ]);
  hasMetadata = false;
  const [, , login] = await diagnosis();
  hasMetadata = true;
  assert.match(login!, /^✘ Its login works The authorization server http\S+ has no metadata$/);
});

test('a chat with -o writes the requests of a login into the session of its server', async () => {
  const [config, answers, file] = ['chat.json', 'answers.json', 'chat.mcptrace'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(config, JSON.stringify({ mcpServers: { notes: { type: 'http', url } } }));
  await writeFile(answers, JSON.stringify({ approve: { 'start:notes': 'once' } }));
  const options = ['--config', config, '--answers', answers, '--state', join(folder, 'chat'), '-o', file];
  const args = ['chat', '--model', 'demo', ...options, 'hello'];
  await tenon(args, { env });
  const lines = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TraceLine);
  const asked = lines.filter(({ kind, http }) => kind === 'auth' && http?.part === 'request');
  assert.ok(asked.some(({ text }) => text.includes('/.well-known/oauth-authorization-server')));
  assert.deepEqual(new Set(asked.map(({ session }) => session)), new Set(['notes']));
});

test('login goes through the browser, and the other verbs use the stored login until logout', async () => {
  const login = await withBrowser(['login', url], { env });
  assert.match(String(login.page), /close this page/);
  assert.equal(login.code, 0, login.stderr);
  const shown = JSON.parse(login.stdout) as Record<string, unknown>;
  assert.deepEqual([shown['server'], shown['scope'], shown['clientId']], [url, 'notes', 'made-1']);
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

test('a login that waits for another one says so, and goes on when that has ended', async () => {
  let page: string | undefined;
  let second: Promise<Outcome> | undefined;
  const first = await tenon(['login', url], {
    env,
    onStderr(stderr) {
      page ??= /browser: (\S+)\n/.exec(stderr)?.[1];
      if (page === undefined) return;
      second ??= tenon(['login', url], {
        env,
        onStderr(waiting) {
          if (waiting.includes('Waiting for another tenon command')) void openAsBrowser(page!);
        },
      });
    },
  });
  assert.equal(first.code, 0, first.stderr);
  const { code, stderr, stdout } = await second!;
  assert.equal(code, 0, stderr);
  assert.equal((JSON.parse(stdout) as Record<string, unknown>)['scope'], 'notes');
  assert.doesNotMatch(stderr, /Log in with your browser/, 'the login of the first is used');
  await tenon(['logout', url], { env });
});

test('a call that needs another scope says which, and login with that scope logs in again', async () => {
  assert.equal((await withBrowser(['login', url], { env })).code, 0);
  const call = await tenon(['call', 'add_note', url], { env });
  assert.equal(call.code, 3);
  const { code, message, evidence, fix } = failureIn(call);
  assert.equal(code, 'insufficient_scope');
  assert.equal(message, 'You are logged in, but the token lacks the scope notes:write');
  assert.match(String(evidence), /^HTTP status 403, WWW-Authenticate: Bearer .*insufficient_scope/);
  assert.equal(fix, `Log in with it: tenon login ${url} --scope notes:write`);

  const before = registered;
  const login = await withBrowser(['login', url, '--scope', 'notes:write'], { env });
  assert.equal(login.code, 0, login.stderr);
  assert.match(String(login.page), /close this page/);
  assert.equal((JSON.parse(login.stdout) as { scope: string }).scope, 'notes notes:write');
  assert.equal((await tenon(['call', 'add_note', url], { env })).code, 0);
  // The token has the scope now, and a new login would change nothing.
  const again = await withBrowser(['login', url, '--scope', 'notes:write'], { env });
  assert.deepEqual([again.code, again.page, again.stdout], [0, undefined, login.stdout]);

  assert.equal(registered, before, 'a login with more scopes is a login of the same client');
  await tenon(['logout', url], { env });
});

test('whoami shows the user of an ID token, and takes the name of a server in a configuration', async () => {
  const config = { mcpServers: { notes: { type: 'http', url }, program: { command: 'node' } } };
  await writeFile(join(folder, '.mcp.json'), JSON.stringify(config));
  const login = await withBrowser(['login', 'notes', '--scope', 'openid'], { env, cwd: folder });
  assert.equal(login.code, 0, login.stderr);
  const whoami = await tenon(['whoami', 'notes', '--text'], { env, cwd: folder });
  assert.match(whoami.stdout, /^user {7}ann$/m);
  assert.equal(whoami.code, 0);
  assert.match(String(failureIn(await tenon(['whoami', 'program'], { env, cwd: folder }))['message']), /is a command/);
  const logout = await tenon(['logout', 'notes'], { env, cwd: folder });
  assert.deepEqual(JSON.parse(logout.stdout), { server: url, login: 'revoked' });
});

test('login reports scopes that were not granted', async () => {
  const login = await withBrowser(['login', url, '--scope', 'notes:all'], { env });
  assert.equal(login.code, 0, login.stderr);
  assert.match(login.stderr, /did not grant notes:all/);
  await tenon(['logout', url], { env });
});

test('a token that is given lacks a scope: the message says which the server requires', async () => {
  const header = ['--header', `Authorization: Bearer ${tokenFor('notes')}`];
  const call = await tenon(['call', 'add_note', ...header, url], { env });
  const { code, message, fix } = failureIn(call);
  assert.deepEqual([call.code, code], [3, 'insufficient_scope']);
  assert.equal(message, 'The token lacks a scope: the server requires notes, notes:write');
  assert.match(String(fix), /^Send a token with these scopes/);
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
