import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { after, beforeEach, test } from 'node:test';
import { type Client, connect, type ConnectOptions } from 'tenon/client';
import { loopback } from 'tenon/auth';
import { until } from '../../../scripts/lib/until.ts';
import { refusedStart } from '../../shared/test/api/as-started.ts';
import { callTool } from '../../shared/test/call-tool.ts';
import { commandOf, serveOverHttp } from '../../shared/test/ways.ts';
import { ACCESS, createLoginFiles, KEYS, REFRESH, storedLogin, storeLogin } from './fixtures/login.ts';
import { createStandIn } from './fixtures/stand-in.ts';
import { createGdrive, type GdriveOptions } from './gdrive.ts';
import { googleAt, SCOPE } from './google.ts';
import { logIn } from './log-in.ts';

const FRESH = 'ya29.theFreshAccess';
const drive = createStandIn();
await drive.start();
const google = googleAt(drive.url);
let files = createLoginFiles();

type Form = Record<string, string>;
/** The requests for tokens. */
let asked: Form[] = [];
/** What Google answers to the next ones, if it is not a token. */
let answers: { readonly status?: number; readonly [name: string]: unknown }[] = [];
/** The access token that Drive accepts. */
let accepted = FRESH;

beforeEach(() => {
  files.remove();
  files = createLoginFiles();
  drive.reset();
  drive.onRequest = ({ headers }) =>
    headers.authorization === `Bearer ${accepted}`
      ? undefined
      : { status: 401, body: '{"error":{"code":401,"message":"Invalid Credentials"}}' };
  asked = [];
  answers = [];
  accepted = FRESH;
  drive.onPage = (path, body) => {
    if (path !== '/token') return undefined;
    asked.push(body as Form);
    const refresh_token = (body as Form)['grant_type'] === 'authorization_code' ? { refresh_token: REFRESH } : {};
    return (
      answers.shift() ?? {
        access_token: FRESH,
        expires_in: 3_599,
        scope: SCOPE,
        token_type: 'Bearer',
        ...refresh_token,
      }
    );
  };
});
after(() => {
  drive.stop();
  files.remove();
});

function create(options: Partial<GdriveOptions> = {}) {
  return createGdrive({ files, google, ...options });
}

function search(client: Client) {
  return callTool(client, 'search', { query: 'tea' });
}

/** What Google adds to a login. */
const AGREED = {
  code: '4/theCode',
  iss: 'https://accounts.google.com',
  scope: SCOPE,
  authuser: '0',
  prompt: 'consent',
};

/** What the browser of a user does who agrees, or answers something else. */
async function visit(page: string, answer: Form = AGREED): Promise<number> {
  const at = new URL(page).searchParams;
  const to = new URL(at.get('redirect_uri')!);
  for (const [name, value] of Object.entries({ state: at.get('state')!, ...answer })) to.searchParams.set(name, value);
  return (await fetch(to)).status;
}

test('an access token that expires is refreshed once for all calls, and the file is replaced by one that only its owner can read', async () => {
  storeLogin(files, { expiry_date: Date.now() + 30_000, more: 'kept' });
  await using client = await connect(create());
  // As in another process.
  await using other = await connect(create());
  const all = await Promise.all([
    search(client),
    search(other),
    search(client),
    client.read('gdrive:///doc-1'),
    client.resources().all(),
  ]);
  assert.equal(all[0].isError, false, all[0].text);
  assert.deepEqual(asked, [
    {
      grant_type: 'refresh_token',
      refresh_token: REFRESH,
      client_id: KEYS.installed.client_id,
      client_secret: KEYS.installed.client_secret,
    },
  ]);
  const { expiry_date: end, ...stored } = storedLogin(files);
  assert.deepEqual(stored, {
    access_token: FRESH,
    refresh_token: REFRESH,
    scope: SCOPE,
    token_type: 'Bearer',
    more: 'kept',
  });
  assert.ok(Math.abs((end as number) - Date.now() - 3_599_000) < 60_000);
  assert.deepEqual([...new Set(drive.received.map(({ headers }) => headers.authorization))], [`Bearer ${FRESH}`]);
  if (process.platform !== 'win32') assert.equal(statSync(files.credentials).mode & 0o777, 0o600);
  await search(client);
  assert.equal(asked.length, 1);
  // Another process has logged in again.
  accepted = 'ya29.another';
  storeLogin(files, { access_token: accepted });
  assert.equal((await search(client)).isError, false);
  assert.equal(asked.length, 1);
});

test('credentials behind a link are replaced where they are, and the link stays', async () => {
  const real = `${files.credentials}.real`;
  storeLogin({ ...files, credentials: real }, { expiry_date: Date.now() + 30_000 });
  symlinkSync(real, files.credentials);
  await using client = await connect(create());
  assert.equal((await search(client)).isError, false);
  assert.ok(lstatSync(files.credentials).isSymbolicLink());
  assert.equal(storedLogin({ ...files, credentials: real })['access_token'], accepted);
});

test('a token that Drive refuses before it expires is refreshed, and the request is sent again once', async () => {
  storeLogin(files);
  await using client = await connect(create());
  assert.equal((await search(client)).isError, false);
  assert.equal(asked.length, 1);
  drive.received = [];
  accepted = 'none';
  const { isError, text } = await search(client);
  assert.equal(isError, true);
  assert.match(text, /answered 401 .*Invalid Credentials.*tenon run gdrive auth/);
  assert.deepEqual([asked.length, drive.received.length], [2, 2]);
});

test('a refused or missing login says how to log in again, and shows no secret', async () => {
  await using client = await connect(create());
  const secrets = [ACCESS, REFRESH, FRESH, KEYS.installed.client_secret];
  const expired = { expiry_date: 1 };
  const check = async (expected: RegExp): Promise<void> => {
    const { isError, text } = await search(client);
    assert.equal(isError, true);
    assert.match(text, expected);
    for (const secret of secrets) assert.ok(!text.includes(secret), text);
  };
  await check(/Not logged in to Google Drive\. The user can log in with the command `tenon run gdrive auth`/);
  assert.deepEqual(await client.resources().all(), []);
  await assert.rejects(client.read('gdrive:///doc-1'), /Not logged in/);
  storeLogin(files, expired);
  answers = [{ status: 400, error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }];
  await check(/no longer accepts the login.*invalid_grant: Token has been expired or revoked\..*gdrive auth/);
  // Calls at once share a refusal, too.
  const revoked = { status: 400, error: 'invalid_grant' };
  answers = [revoked, revoked];
  asked = [];
  assert.deepEqual(
    (await Promise.all([search(client), search(client)])).map(({ isError }) => isError),
    [true, true],
  );
  assert.equal(asked.length, 1);
  answers = [{ status: 401, error: 'invalid_client' }];
  await check(/no longer accepts the login.*invalid_client.*gdrive auth/);
  answers = [{ status: 503 }];
  await check(/could not be refreshed.*503.*Try again later/);
  answers = [{ access_token: 'bad token', token_type: 'Bearer' }];
  await check(/could not be refreshed/);
  assert.equal(storedLogin(files)['refresh_token'], REFRESH);
  storeLogin(files, { ...expired, refresh_token: undefined });
  await check(/has expired.*gdrive auth/);
  storeLogin(files, expired);
  writeFileSync(files.keys, JSON.stringify({ web: KEYS.installed }));
  await check(/has the keys of a web application.*"Desktop app".*GDRIVE_OAUTH_PATH/);
  writeFileSync(files.keys, `{"installed":{"client_secret":"${KEYS.installed.client_secret}`);
  await check(/GDRIVE_OAUTH_PATH names is not JSON/);
  writeFileSync(files.credentials, '[]');
  await check(/GDRIVE_CREDENTIALS_PATH names has no credentials/);
  assert.equal(readFileSync(files.credentials, 'utf8'), '[]');
});

test('a pipe or a huge file in place of the keys or credentials is refused, and not read', async () => {
  await using client = await connect(create());
  storeLogin(files);
  writeFileSync(files.credentials, ' '.repeat(1024 * 1024 + 1));
  assert.match(
    (await search(client)).text,
    /What GDRIVE_CREDENTIALS_PATH names is not a file, or has more than 1048576/,
  );
  if (process.platform === 'win32') return;
  storeLogin(files, { expiry_date: 1 });
  rmSync(files.keys);
  assert.equal(spawnSync('mkfifo', [files.keys]).status, 0);
  assert.match((await search(client)).text, /What GDRIVE_OAUTH_PATH names is not a file/);
  rmSync(files.keys);
});

test('a login asks Google for reading only, with PKCE, and stores the credentials in the form of the original', async () => {
  const pages: URL[] = [];
  const show = (url: URL): void => {
    pages.push(url);
    void visit(url.href);
  };
  await logIn({ files, google }, loopback({ opener: false, show }));
  const [page] = pages as [URL];
  const { state, code_challenge: challenge, redirect_uri: redirect, ...sent } = Object.fromEntries(page.searchParams);
  assert.equal(page.origin + page.pathname, `${drive.url}/o/oauth2/v2/auth`);
  assert.match(redirect!, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  assert.deepEqual(sent, {
    access_type: 'offline',
    prompt: 'consent',
    response_type: 'code',
    client_id: KEYS.installed.client_id,
    code_challenge_method: 'S256',
    scope: SCOPE,
  });
  assert.ok(state!.length > 20 && challenge!.length > 20);
  const { code_verifier: verifier, ...exchanged } = asked[0]!;
  assert.ok(verifier!.length > 20);
  assert.deepEqual(exchanged, {
    grant_type: 'authorization_code',
    code: '4/theCode',
    redirect_uri: redirect,
    client_id: KEYS.installed.client_id,
    client_secret: KEYS.installed.client_secret,
  });
  const { expiry_date: end, ...stored } = storedLogin(files);
  assert.deepEqual(stored, { access_token: FRESH, refresh_token: REFRESH, scope: SCOPE, token_type: 'Bearer' });
  assert.equal(typeof end, 'number');
});

test('an answer that is not of this login, or not of a user who agrees, stores nothing', async () => {
  const attempt = (...answers: readonly Form[]) => {
    const show = async ({ href }: URL): Promise<void> => {
      for (const answer of answers) statuses.push(await visit(href, answer));
    };
    return logIn({ files, google }, loopback({ opener: false, show: (url) => void show(url) }));
  };
  const statuses: number[] = [];
  const denied = { error: 'access_denied' };
  await assert.rejects(attempt({ state: 'forged', code: '4/theirs' }, denied), /refused: access_denied/);
  assert.equal(statuses[0], 404);
  await assert.rejects(attempt({ code: '4/x', iss: 'https://phishing.example' }), /invalid/);
  assert.deepEqual(asked, []);
  answers = [{ access_token: FRESH, token_type: 'Bearer', scope: 'openid' }];
  await assert.rejects(attempt({ code: '4/x' }), /did not allow this app to see the files/);
  assert.equal(existsSync(files.credentials), false);
});

interface Visit {
  readonly message: string;
  readonly url: string;
}

/** A client whose user opens pages, and does this there. */
async function visitor(
  revision: '2025-11-25' | '2026-07-28',
  options: Partial<GdriveOptions>,
  act: (url: string) => unknown,
  action: 'accept' | 'decline' = 'accept',
) {
  const visits: Visit[] = [];
  const elicit: ConnectOptions['elicit'] = {
    url: true,
    handler: (request) => {
      const { message, url } = request as unknown as Visit;
      visits.push({ message, url });
      void act(url);
      return { action };
    },
  };
  const client = await connect(create({ mayLogIn: true, ...options }), { revision, elicit });
  return { client, visits, [Symbol.asyncDispose]: () => client.close() };
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  test(`${revision}: a call without a login lets the user log in, and later calls use that login`, async () => {
    await using opened = await visitor(revision, {}, visit);
    const { isError, text } = await search(opened.client);
    assert.equal(isError, false, text);
    assert.equal(opened.visits.length, 1);
    assert.equal(opened.visits[0]!.message, 'Log in to Google, so that files of Google Drive can be read');
    assert.equal(storedLogin(files)['refresh_token'], REFRESH);
    await opened.client.read('gdrive:///doc-1');
    assert.equal(opened.visits.length, 1);
    // Google has revoked it.
    storeLogin(files, { expiry_date: 1 });
    answers = [{ status: 400, error: 'invalid_grant' }];
    assert.equal((await opened.client.read('gdrive:///text1')).contents[0]!.text, 'Grün und heiß\n');
    assert.equal(opened.visits.length, 2);
  });

  test(`${revision}: a declined, refused or unfinished login is an error, and the next call starts another one`, async () => {
    for (const [action, act, expected, loginTimeoutMs] of [
      ['decline', () => {}, /The user declined to log in/, undefined],
      ['accept', (url: string) => visit(url, { error: 'access_denied' }), /refused: access_denied|Not logged in/],
      ['accept', () => {}, /not completed in time|Not logged in/, 100],
    ] as const) {
      await using opened = await visitor(revision, { loginTimeoutMs }, act, action);
      const pages: (string | undefined)[] = [];
      for (let turn = 0; turn < 2; turn++) {
        const { isError, text } = await search(opened.client);
        assert.equal(isError, true);
        assert.match(text, expected);
        pages.push(opened.visits.at(-1)?.url);
      }
      assert.notEqual(pages[0], pages[1]);
      // The port is closed.
      await assert.rejects(fetch(new URL(pages[1]!).searchParams.get('redirect_uri')!));
    }
    assert.deepEqual(drive.received, []);
  });
}

test('two calls at once wait for the same login', async () => {
  await using opened = await visitor('2025-11-25', {}, () => {});
  const calls = [search(opened.client), search(opened.client)];
  await until(() => opened.visits.length === 1);
  await visit(opened.visits[0]!.url);
  assert.deepEqual(
    (await Promise.all(calls)).map(({ isError }) => isError),
    [false, false],
  );
  assert.deepEqual([asked.length, opened.visits.length], [1, 1]);
});

test('the user is not asked to log in over HTTP, or if the client cannot open pages, or without the keys of an app', async (t) => {
  const url: ConnectOptions = { elicit: { url: true, handler: () => assert.fail('asked') } };
  const served = await serveOverHttp({
    name: 'gdrive',
    args: ['--google-url', drive.url],
    env: { GDRIVE_OAUTH_PATH: files.keys, GDRIVE_CREDENTIALS_PATH: files.credentials },
  });
  t.after(() => served.stop());
  await using remote = await connect(served.url, { ...url, revision: '2025-11-25' });
  assert.match((await search(remote)).text, /Not logged in/);
  for (const [options, how] of [
    [{}, url],
    [{ mayLogIn: true }, { elicit: () => assert.fail('asked') }],
  ] as const) {
    await using client = await connect(create(options), { ...how, revision: '2025-11-25' });
    assert.match((await search(client)).text, /Not logged in/);
  }
  await using client = await connect(create({ mayLogIn: true, files: { ...files, keys: `${files.keys}.none` } }), {
    ...url,
    revision: '2025-11-25',
  });
  assert.match((await search(client)).text, /keys of an app are missing.*"Desktop app".*GDRIVE_OAUTH_PATH/);
});

test('the command auth logs in with the browser and ends; other words, and missing keys, are refused', async () => {
  const env = { GDRIVE_OAUTH_PATH: files.keys, GDRIVE_CREDENTIALS_PATH: files.credentials };
  const [command, ...args] = commandOf({ name: 'gdrive', args: ['auth', '--google-url', drive.url] });
  // Without a PATH there is no program that opens the page.
  const child = spawn(command, args, { env: { ...env, PATH: '' }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [text(child.stdout), once(child.stderr.setEncoding('utf8'), 'data')];
  const [, page] = /^Log in at (\S+)\n/.exec(String(await stderr)) ?? [];
  const rest = text(child.stderr);
  assert.equal(await visit(page!), 200);
  const [code] = (await once(child, 'close')) as [number];
  assert.deepEqual(
    [code, await stdout, await rest],
    [0, '', `Logged in. The credentials are in ${files.credentials}\n`],
  );
  assert.equal(storedLogin(files)['access_token'], FRESH);
  assert.match(await refusedStart('gdrive', ['login'], env), /'login' is not known/);
  const missing = { ...env, GDRIVE_OAUTH_PATH: `${files.keys}.none` };
  assert.match(await refusedStart('gdrive', ['auth'], missing), /keys of an app are missing.*GDRIVE_OAUTH_PATH/);
});
