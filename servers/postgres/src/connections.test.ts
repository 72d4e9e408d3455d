// The connection to the database: TLS, restarts, cancel requests, and the password, which is shown nowhere.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, connect as dial, type Server as TcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { type Client, connect } from 'tenon/client';
import { startPostgres, SUPERUSER_PASSWORD } from '../../../scripts/lib/postgres.ts';
import { until } from '../../../scripts/lib/until.ts';
import { commandOf, serveOverHttp, textOf, withTenon } from '../../shared/test/ways.ts';
import { parseAddress } from '@tenon/values/postgres-address';
import { createPostgres } from './postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-postgres-tls-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
const subject = ['-subj', '/CN=database', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
execFileSync(
  'openssl',
  ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-keyout', key, '-out', certificate],
  {
    stdio: 'pipe',
  },
);

// A server of its own, because it is restarted.
const engine = await startPostgres({
  settings: ['ssl = on'],
  files: { 'server.key': readFileSync(key, 'utf8'), 'server.crt': readFileSync(certificate, 'utf8') },
});
after(() => engine.delete());

const PASSWORD = 'open/sesame@7?';
function urlTo(port: number, parameters = ''): string {
  return `postgres://guest:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres${parameters}`;
}

const eras = { get: () => undefined, set() {}, delete() {} };
function open(url: string, timeout = 3_600): Promise<Client> {
  return connect(createPostgres({ address: parseAddress(url), timeout }), { eras });
}
async function rowsOf(client: Client, sql: string, signal?: AbortSignal): Promise<readonly Record<string, unknown>[]> {
  return ((await client.call('query', { sql }, { signal })) as { rows: Record<string, unknown>[] }).rows;
}

/** As the superuser. */
let admin: Client;
before(async () => {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    host: '127.0.0.1',
    port: engine.port,
    user: 'postgres',
    password: SUPERUSER_PASSWORD,
  });
  await client.connect();
  await client.query(`CREATE ROLE guest LOGIN PASSWORD '${PASSWORD}'; CREATE TABLE notes (note text)`);
  await client.query('GRANT SELECT ON notes TO guest');
  await client.end();
  const url = `postgres://postgres:${SUPERUSER_PASSWORD}@127.0.0.1:${engine.port}/postgres`;
  admin = await connect(createPostgres({ address: parseAddress(url), allowPrivilegedRole: true }));
});
after(() => admin.close());

/** How many sessions sleep. */
async function sleeping(): Promise<number> {
  const sql = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'PgSleep'";
  return (await rowsOf(admin, sql))[0]!['count'] as number;
}

/** Sleeps until it is cancelled: the database does not look whether its client is still there. */
const SLEEP = "SELECT set_config('client_connection_check_interval', '0', true), pg_sleep(100000)";
const USES_TLS = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

interface Proxy {
  readonly port: number;
  /** How many bytes the database has sent. */
  readonly bytes: () => number;
  /** The first bytes that each client sent. */
  readonly starts: readonly Buffer[];
  /** Cuts the connections that are open now as soon as their clients send something. */
  cutLater(): void;
}

/** Forwards connections to the database, until the test ends. */
async function createProxy(t: TestContext): Promise<Proxy> {
  let bytes = 0;
  let isCut = new AbortController();
  const starts: Buffer[] = [];
  const proxy: TcpServer = createServer((near) => {
    const far = dial(engine.port, '127.0.0.1');
    const { signal } = isCut;
    near.once('data', (chunk) => starts.push(chunk));
    near.on('data', (chunk) => (signal.aborted ? near.destroy() : far.write(chunk)));
    far.on('data', (chunk) => {
      bytes += chunk.length;
      // It receives only what the server takes.
      if (near.write(chunk)) return;
      far.pause();
      near.once('drain', () => far.resume());
    });
    for (const socket of [near, far])
      socket
        .on('error', () => {})
        .on('close', () => {
          near.destroy();
          far.destroy();
        });
  });
  t.after(() => void proxy.close());
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    bytes: () => bytes,
    starts,
    cutLater: () => {
      isCut.abort();
      isCut = new AbortController();
    },
  };
}

test('the TLS options of the URL work, and an unknown certificate is refused', async () => {
  for (const [parameters, ssl] of [
    ['', false],
    ['?sslmode=disable', false],
    ['?sslmode=no-verify', true],
    [`?sslmode=verify-full&sslrootcert=${certificate}`, true],
    [`?sslmode=require&sslrootcert=${certificate}`, true],
    [`?sslmode=require&uselibpqcompat=true`, true],
  ] as const) {
    await using client = await open(urlTo(engine.port, parameters));
    assert.deepEqual(await rowsOf(client, USES_TLS), [{ ssl }], parameters);
  }
  for (const parameters of ['?sslmode=verify-full', '?sslmode=require', '?sslmode=verify-ca', '?ssl=true']) {
    await using client = await open(urlTo(engine.port, parameters));
    await assert.rejects(
      rowsOf(client, USES_TLS),
      /The database cannot be reached: self-signed certificate/,
      parameters,
    );
  }
});

test('a running query is cancelled with an encrypted request if its connection uses TLS', async (t) => {
  const proxy = await createProxy(t);
  await using client = await open(urlTo(proxy.port, `?sslmode=verify-full&sslrootcert=${certificate}`));
  const abort = new AbortController();
  const call = rowsOf(client, SLEEP, abort.signal);
  await until(async () => (await sleeping()) === 1, 'it runs');
  abort.abort();
  await assert.rejects(call, { name: 'AbortError' });
  await until(async () => (await sleeping()) === 0, 'it has ended');
  assert.equal(proxy.starts.length, 2);
  // An SSLRequest: https://www.postgresql.org/docs/current/protocol-message-formats.html
  for (const start of proxy.starts) assert.equal(start.readInt32BE(4), 80_877_103);
});

for (const revision of ['2025-11-25', '2026-07-28'] as const)
  test(`a cancelled call cancels the query, over stdio and HTTP, on ${revision}`, async () => {
    const started = { name: 'postgres', args: [urlTo(engine.port), '--timeout', '3600'] };
    const served = await serveOverHttp(started);
    try {
      for (const target of [{ command: commandOf(started)[0], args: commandOf(started).slice(1) }, served.url]) {
        await using client = await connect(target, { eras, revision });
        const abort = new AbortController();
        const call = rowsOf(client, SLEEP, abort.signal);
        await until(async () => (await sleeping()) === 1, 'it runs');
        abort.abort();
        await assert.rejects(call, { name: 'AbortError' });
        await until(async () => (await sleeping()) === 0, 'it has ended');
        assert.deepEqual(await rowsOf(client, 'SELECT 1 AS one'), [{ one: 1 }]);
      }
    } finally {
      served.stop();
    }
  });

test('connections that were lost without notice are replaced by new ones', async (t) => {
  const proxy = await createProxy(t);
  await using client = await open(urlTo(proxy.port));
  const sql = 'SELECT 1 AS one, pg_sleep(0.2)';
  await Promise.all(Array.from({ length: 4 }, () => rowsOf(client, sql)));
  const before = proxy.starts.length;
  assert.ok(before > 1, `${before} connections`);
  proxy.cutLater();
  assert.deepEqual(await rowsOf(client, 'SELECT 1 AS one'), [{ one: 1 }]);
  assert.equal(proxy.starts.length > before, true);
});

test('a huge value and a flood of rows are never received completely', async (t) => {
  const proxy = await createProxy(t);
  await using client = await open(urlTo(proxy.port));
  for (const [sql, most] of [
    ["SELECT repeat('x', 100000000)", 40],
    ["SELECT repeat('x', 5000000) FROM generate_series(1, 90)", 40],
    ["SELECT repeat('x', 1000) FROM generate_series(1, 1000000)", 2],
  ] as const) {
    const start = proxy.bytes();
    const result = await client.result('query', { sql });
    assert.match(textOf(result as never), /The first row alone|Only the first/);
    const received = (proxy.bytes() - start) / 1024 / 1024;
    assert.ok(received < most, `${sql}: ${received} MiB`);
    assert.deepEqual(await rowsOf(client, 'SELECT 1 AS one'), [{ one: 1 }]);
  }
});

test('after a restart of the database the next call works, and until then the error says what is wrong', async () => {
  await using client = await open(urlTo(engine.port));
  // Several connections, all of them lost.
  const busy = Array.from({ length: 4 }, () => rowsOf(client, 'SELECT pg_sleep(100000)'));
  const failed = Promise.all(busy.map((call) => assert.rejects(call, /The database cannot be/)));
  await until(async () => (await sleeping()) === 4, 'all connections are used');
  await engine.stop();
  await failed;
  await assert.rejects(rowsOf(client, 'SELECT 1'), /The database cannot be reached: connect ECONNREFUSED/);
  await assert.rejects(client.resources().all(), /The database cannot be reached: connect ECONNREFUSED/);
  await engine.start();
  assert.deepEqual(await rowsOf(client, 'SELECT 1 AS one'), [{ one: 1 }]);
  const several = Array.from({ length: 4 }, () => rowsOf(client, 'SELECT 1 AS one, pg_sleep(0.01)'));
  assert.equal((await Promise.all(several)).length, 4);
  // Lost while it was not used.
  const guests = "FROM pg_stat_activity WHERE usename = 'guest'";
  await rowsOf(admin, `SELECT pg_terminate_backend(pid) ${guests}`);
  await until(async () => (await rowsOf(admin, `SELECT pid ${guests}`)).length === 0, 'all sessions have ended');
  for (let turn = 0; turn < 5; turn++) assert.deepEqual(await rowsOf(client, 'SELECT 1 AS one'), [{ one: 1 }]);
});

test('the password is in no answer, resource, message or line of stderr', async () => {
  const wrong = 'wrong-sesame';
  const texts: string[] = [];
  for (const url of [
    urlTo(engine.port),
    `postgres://guest:${wrong}@127.0.0.1:${engine.port}/postgres`,
    `postgres://guest@127.0.0.1:${engine.port}/postgres?password=${wrong}`,
    `postgres://guest:${wrong}@127.0.0.1:1/postgres`,
    `postgres://guest:${wrong}@does-not-exist.invalid/postgres`,
    `postgres://guest:${wrong}@127.0.0.1:${engine.port}/none`,
    `postgres://guest:${wrong}@127.0.0.1:${engine.port}/postgres?sslmode=verify-full`,
  ]) {
    const [command, ...args] = commandOf({ name: 'postgres', args: [url] });
    await using client = await connect(
      { command, args, stderr: (text) => void texts.push(text) },
      {
        eras,
        // The first event is the command line, which has the URL as it was given.
        onTrace: (event) => void (event.kind === 'open' || texts.push(JSON.stringify(event))),
      },
    );
    texts.push(JSON.stringify(await client.result('query', { sql: 'SELECT 1' })));
    texts.push(JSON.stringify(await client.templates().all()));
    texts.push(
      JSON.stringify(
        await client
          .resources()
          .all()
          .catch((error: Error) => error.message),
      ),
    );
  }
  for (const secret of [wrong, PASSWORD, encodeURIComponent(PASSWORD)])
    assert.deepEqual(
      texts.filter((text) => text.includes(secret)),
      [],
    );
  assert.ok(texts.some((text) => text.includes('password authentication failed')));
});

test('a URL that cannot be used is refused at the start, without showing it', async () => {
  for (const [url, message] of [
    [[], /Please provide a database URL/],
    [['mysql://guest:sesame-7@localhost/x'], /The database is a URL such as postgres:/],
    [['guest:sesame-7@localhost'], /The database is a URL such as postgres:/],
    [['postgres://guest:sesame-7/8@localhost/x'], /The database is a URL|write \/ \? # and @ as/],
    [['postgres://guest:77/sesame-7@localhost/x'], /write \/ \? # and @ as/],
    [['postgres://guest:sesame-7#8@localhost/x'], /write \/ \? # and @ as|The database is a URL/],
    [['postgres://guest:sesame-7%@localhost/x'], /write % as %25/],
    [['postgres://localhost/x', '--timeout', '0'], /--timeout takes a number from 1 to 3600/],
    [['postgres://localhost/x', '--max-rows', '1e9'], /--max-rows takes a number/],
    [['postgres://localhost/x', 'postgres://localhost/y'], /There is one database URL/],
  ] as const) {
    const [command, ...args] = commandOf({ name: 'postgres', args: url });
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 2, output);
    assert.match(output, message);
    assert.doesNotMatch(output, /sesame-7/);
  }
});

test('the password can come from PGPASSWORD, and the database from a socket', async () => {
  const env = { PGPASSWORD: PASSWORD };
  for (const url of [
    `postgres://guest@127.0.0.1:${engine.port}/postgres`,
    `postgres://guest@/postgres?host=${encodeURIComponent(engine.folder)}&port=${engine.port}`,
  ]) {
    const client = await withTenon({ name: 'postgres', args: [url], env }, '2026-07-28');
    assert.match(textOf(await client.call('query', { sql: 'SELECT 1 AS one' })), /"one": 1/, url);
    await client.close();
  }
});

test('the server ends when its client disconnects, and so do its queries', async () => {
  const [command, ...args] = commandOf({ name: 'postgres', args: [urlTo(engine.port), '--timeout', '3600'] });
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const say = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const clientInfo = { name: 't', version: '1' };
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  say({ method: 'notifications/initialized' });
  say({ id: 2, method: 'tools/call', params: { name: 'query', arguments: { sql: 'SELECT 1 AS one' } } });
  await until(() => output.includes('"id":2'));
  say({ id: 3, method: 'tools/call', params: { name: 'query', arguments: { sql: 'SELECT pg_sleep(100000)' } } });
  await until(async () => (await sleeping()) === 1, 'a query runs');
  const ended = once(child, 'exit');
  child.stdin.end();
  const [code] = (await ended) as [number];
  assert.equal(code, 0);
  for (const line of output.trim().split('\n')) assert.equal((JSON.parse(line) as { jsonrpc: string }).jsonrpc, '2.0');
  await until(async () => (await sleeping()) === 0, 'the query has ended');
});
