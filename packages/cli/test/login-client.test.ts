// Logging in with a client that was registered by hand, at an authorization server that registers none: the client is in a configuration.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createListener, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { server, tool } from 'tenon';
import { protectedResource } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import { failureIn, tenon, textIn } from './run-tenon.ts';
import { withBrowser } from './with-browser.ts';

const CLIENT = { id: 'by-hand', secret: 'SECRET-OF-THE-CLIENT' };
const TOKEN = 'SECRET-TOKEN';
let url = '';
let open = '';
let issuer = '';
let folder = '';
/** The paths of the requests at the authorization server, with the client that each named. */
let asked: string[] = [];
let redirects: string[] = [];
/** What separates the scopes in a token response. */
let separator = ' ';
let env: Record<string, string>;
const closing: (() => unknown)[] = [];

/** The client of a request to the token endpoint, if its secret is right. */
function clientOf(authorization: string | undefined): string | undefined {
  const [id, secret] = Buffer.from(authorization?.replace('Basic ', '') ?? '', 'base64')
    .toString()
    .split(':');
  return secret === CLIENT.secret ? id : undefined;
}

async function freePort(): Promise<number> {
  const listener = createListener();
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  await new Promise<unknown>((resolve) => listener.close(resolve));
  return port;
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-login-client-'));
  env = { TENON_TOKENS: join(folder, 'state', 'tokens.json'), CLIENT_SECRET: CLIENT.secret };
  const authority = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    const json = (status: number, value: object): unknown =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (pathname === '/authorize') {
      redirects.push(searchParams.get('redirect_uri')!);
      asked.push(`authorize ${searchParams.get('client_id')} ${searchParams.get('scope')}`);
      const back = new URL(searchParams.get('redirect_uri')!);
      back.searchParams.set('code', searchParams.get('scope') ?? '');
      back.searchParams.set('state', searchParams.get('state')!);
      return response.writeHead(302, { location: back.href }).end();
    }
    if (pathname === '/token' || pathname === '/revoke') {
      const client = clientOf(request.headers.authorization);
      asked.push(`${pathname.slice(1)} ${client}`);
      if (client !== CLIENT.id) return json(401, { error: 'invalid_client' });
      const params = new URLSearchParams((await request.toArray()).join(''));
      if (pathname === '/revoke') return json(200, {});
      const scope = params.get('code')!.replaceAll(' ', separator);
      return json(200, { access_token: TOKEN, token_type: 'Bearer', expires_in: 3_600, scope });
    }
    return json(pathname === '/.well-known/oauth-authorization-server' ? 200 : 404, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic'],
    });
  });
  await new Promise<void>((resolve) => authority.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(authority.address() as { port: number }).port}`;
  const app = server({ name: 'guarded', tools: { whoami: tool({}, (_, ctx) => ctx.principal?.id ?? 'anonymous') } });
  // To know the port before the metadata, which contain it.
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
      verify: (token) => (token === TOKEN ? { issuer, subject: 'ann', scopes: ['notes'], claims: {} } : undefined),
    }),
  });
  url = served.url;
  const unprotected = await serveHttp(app, { port: 0, signals: false, drainMs: 100 });
  open = unprotected.url;
  const oauth = {
    clientId: CLIENT.id,
    clientSecret: '${CLIENT_SECRET}',
    issuer,
    scopes: ['profile'],
  };
  const mcpServers = {
    notes: { type: 'http', url, oauth },
    unregistered: { type: 'http', url },
    'without-issuer': { type: 'http', url, oauth: { ...oauth, issuer: undefined } },
    open: { type: 'http', url: open },
  };
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
  closing.push(
    () => served.close(),
    () => unprotected.close(),
    () => authority.close(),
    () => rm(folder, { recursive: true, force: true }),
  );
});
after(async () => {
  for (const close of closing) await close();
});

test('login uses the client and the scopes of the configuration, and so do the other verbs until logout', async () => {
  const config = ['--config', join(folder, '.mcp.json')];
  asked = [];
  const login = await withBrowser(['login', 'notes', ...config], { env });
  assert.equal(login.code, 0, login.stderr);
  assert.match(String(login.page), /close this page/);
  assert.deepEqual(asked, ['authorize by-hand notes profile', 'token by-hand']);
  const shown = JSON.parse(login.stdout) as Record<string, unknown>;
  assert.deepEqual([shown['server'], shown['clientId'], shown['scope']], [url, CLIENT.id, 'notes profile']);
  assert.doesNotMatch(login.stdout + login.stderr, /SECRET/);

  // By its name in the configuration of this folder, too.
  const cwd = folder;
  const call = await tenon(['call', 'whoami', 'notes'], { env, cwd });
  assert.equal(call.code, 0, call.stderr);
  assert.match(textIn(call), /\|ann$/);
  for (const args of [['list', 'tools'], ['check', '--wire', '--era', 'all'], ['doctor']]) {
    const looked = await tenon([...args, 'notes'], { env, cwd });
    assert.equal(looked.code, 0, looked.stderr + looked.stdout);
  }
  assert.deepEqual(JSON.parse((await tenon(['whoami', 'notes', ...config], { env })).stdout), shown);
  // The login has all scopes of the configuration, and a new one would change nothing.
  const again = await withBrowser(['login', 'notes'], { env, cwd });
  assert.deepEqual([again.code, again.page, again.stdout], [0, undefined, login.stdout]);
  assert.equal(asked.length, 2, 'no other verb logs in');

  const logout = await tenon(['logout', 'notes'], { env, cwd });
  assert.deepEqual(JSON.parse(logout.stdout), { server: url, login: 'revoked' });
  assert.equal(asked.at(-1), 'revoke by-hand');
  const whoami = await tenon(['whoami', 'notes'], { env, cwd });
  assert.deepEqual([whoami.code, failureIn(whoami)['code']], [3, 'not_logged_in']);
  assert.equal((await tenon(['call', 'whoami', 'notes'], { env, cwd })).code, 3);
  assert.doesNotMatch(await readFile(env['TENON_TOKENS']!, 'utf8'), /SECRET/);
});

test('the option --auth of a verb logs in with the client of the configuration', async () => {
  asked = [];
  const list = await withBrowser(['list', 'tools', '--auth', 'notes'], { env, cwd: folder });
  assert.equal(list.code, 0, list.stderr);
  assert.deepEqual(asked, ['authorize by-hand notes profile', 'token by-hand']);
  await tenon(['logout', 'notes'], { env, cwd: folder });
});

test('scopes that an authorization server separates by commas, as GitHub does, are scopes of the login', async () => {
  separator = ',';
  asked = [];
  const cwd = folder;
  const login = await withBrowser(['login', 'notes'], { env, cwd });
  assert.equal(login.code, 0, login.stderr);
  assert.doesNotMatch(login.stderr, /did not grant/);
  const again = await withBrowser(['login', 'notes'], { env, cwd });
  assert.deepEqual([again.code, again.page, again.stderr], [0, undefined, '']);
  assert.deepEqual(asked, ['authorize by-hand notes profile', 'token by-hand']);
  separator = ' ';
  await tenon(['logout', 'notes'], { env, cwd });
});

/** The redirect addresses of logins at the server, with the login settings of a configuration. */
async function redirectsOf(args: readonly string[], callbackPort: number): Promise<readonly string[]> {
  const config = join(folder, 'port.json');
  const oauth = { clientId: CLIENT.id, callbackPort };
  await writeFile(config, JSON.stringify({ mcpServers: { notes: { type: 'http', url, oauth } } }));
  redirects = [];
  // The authorization server wants a secret, so each of these logins fails at the end.
  await withBrowser([...args, '--config', config, 'notes'], { env, input: '' });
  return redirects;
}

test('the browser comes back to the port of the configuration, which the client may be registered with', async () => {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/callback`;
  assert.deepEqual(await redirectsOf(['login'], port), [address]);
  assert.deepEqual(await redirectsOf(['list', 'tools', '--auth'], port), [address]);
  const paste = await tenon(['login', 'notes', '--paste', '--config', join(folder, 'port.json')], { env, input: '' });
  assert.ok(paste.stderr.includes(`redirect_uri=${encodeURIComponent(address)}`), paste.stderr);
});

test('the advice to log in names the server by its name in the configuration, where the login settings are', async () => {
  const config = join(folder, '.mcp.json');
  const list = await tenon(['list', 'notes', '--config', config], { env });
  assert.equal(list.code, 3);
  assert.match(String(failureIn(list)['fix']), /^Log in: tenon login notes --config \S+\.mcp\.json, or --auth/);
  const whoami = await tenon(['whoami', 'notes'], { env, cwd: folder });
  assert.equal(failureIn(whoami)['fix'], 'Log in: tenon login notes');
});

test('the trace of a login does not contain the secret of the client', async () => {
  const file = join(folder, 'login.mcptrace');
  const login = await withBrowser(['login', 'notes', '-o', file], { env, cwd: folder });
  assert.equal(login.code, 0, login.stderr);
  const trace = await readFile(file, 'utf8');
  assert.match(trace, /\/token/);
  const basic = Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64');
  assert.ok(![CLIENT.secret, basic, TOKEN].some((secret) => trace.includes(secret)));
  await tenon(['logout', 'notes'], { env, cwd: folder });
});

test('without login settings, the login fails where the server registers no clients, and says where a client is given', async () => {
  const login = await tenon(['login', 'unregistered'], { env, cwd: folder });
  const { code, message, fix } = failureIn(login);
  assert.deepEqual([login.code, code], [3, 'login_failed']);
  assert.match(String(message), /does not support dynamic registration/);
  assert.match(String(fix), /"clientId".*"oauth".*configuration/);
});

test('a configured server that needs no login works without login settings', async () => {
  const list = await tenon(['list', 'tools', 'open'], { env, cwd: folder });
  assert.equal(list.code, 0, list.stderr);
  const login = await tenon(['login', 'open'], { env, cwd: folder });
  assert.equal((JSON.parse(login.stdout) as { login: string }).login, 'not needed');
});

test('login settings with a secret and without its issuer are refused as a mistake of the configuration', async () => {
  for (const verb of ['login', 'list', 'logout', 'whoami']) {
    const outcome = await tenon([verb, 'without-issuer'], { env, cwd: folder });
    const { code, message } = failureIn(outcome);
    assert.deepEqual([verb, outcome.code, code], [verb, 2, 'bad_config']);
    assert.match(String(message), /"oauth".*without-issuer|without-issuer.*"oauth"/);
    assert.match(String(message), /issuer/);
  }
});
