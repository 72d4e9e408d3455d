// Faults of servers and machines, and their effects on a host.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { server, tool } from 'tenon';
import { revisions } from 'tenon/client';
import type { ClientAuth } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import type { Clock } from 'tenon/testing';
import { turns, until } from '../../../scripts/lib/until.ts';
import { createHost, type Host, type HostOptions, type ServerView } from '../src/index.ts';
import { isAlive, QUICKLY } from './kit.ts';

function path(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}
function fixture(mode = 'plain') {
  return { command: process.execPath, args: [path('server.ts')], env: { FIXTURE: mode } };
}
function raw(mode: string) {
  return { command: process.execPath, args: [path('raw.mjs')], env: { RAW: mode } };
}

function hostOf(servers: HostOptions['servers'], more: Partial<HostOptions> = {}): Promise<Host> {
  return createHost({ servers, approve: () => ({ allow: true }), ...more });
}

function textOf({ content }: { content: readonly unknown[] }): string {
  return (content[0] as { text: string }).text;
}
function viewOf(host: Host, alias: string): ServerView {
  return host.servers().find((view) => view.alias === alias)!;
}

test('[F-75] a server that crashes repeatedly does not affect the others', async () => {
  const names = Array.from({ length: 9 }, (_, index) => `s${index}`);
  await using host = await hostOf(
    { crashing: fixture(), ...Object.fromEntries(names.map((name) => [name, fixture()])) },
    { limits: { restartMs: 10 } },
  );
  await host.start();
  assert.equal(
    names.every((name) => viewOf(host, name).state === 'ready'),
    true,
  );
  let crashes = 0;
  let crash: Promise<unknown> | undefined;
  let meanwhile = 0;
  while (crashes < 3 || crash !== undefined) {
    const isReady = viewOf(host, 'crashing').state === 'ready';
    if (isReady && crash === undefined) {
      crashes++;
      crash = host.call('crashing__die', {}).finally(() => (crash = undefined));
    }
    const results = await Promise.all(names.map((name) => host.call(`${name}__greet`, { name })));
    if (!isReady) meanwhile += results.length;
    assert.deepEqual(
      results.filter(({ isError }) => isError === true),
      [],
    );
  }
  assert.ok(meanwhile > 0);
});

test('[F-76] a server that never answers does not delay the others', async () => {
  const silent = { ...fixture('silent'), ...QUICKLY };
  const host = await hostOf({ silent, other: fixture() }, { limits: { startMs: 600_000 } });
  const started = host.start();
  await until(() => viewOf(host, 'other').state === 'ready');
  assert.equal(viewOf(host, 'silent').state, 'starting');
  assert.equal(textOf(await host.call('other__greet', { name: 'Ada' })), 'Hello Ada');
  await host.close();
  await started;
});

test('[F-76] a start does not wait for a server that never answers, and says that it is late', async () => {
  const silent = { ...fixture('silent'), ...QUICKLY };
  const host = await hostOf({ silent }, { limits: { startMs: 300 } });
  await host.start();
  const { state, late, problem } = viewOf(host, 'silent');
  assert.deepEqual([state, late], ['starting', true]);
  assert.match(problem!, /^it is not ready after 0\.3 seconds, and the host keeps waiting$/);
  await host.close();
  assert.equal(viewOf(host, 'silent').late, false);
});

test('[F-77] a server that is slow to start becomes ready in its first process, and the person is told meanwhile', async () => {
  let processes = 0;
  const onStart = (): void => void processes++;
  await using host = await hostOf({ late: { ...raw('late'), onStart } }, { limits: { startMs: 100 } });
  const problems = new Set<string>();
  host.on((event) => {
    if (event.kind === 'server' && event.server.late) problems.add(event.server.problem!);
  });
  await host.start();
  assert.equal(viewOf(host, 'late').state, 'starting');
  await until(() => viewOf(host, 'late').state === 'ready');
  assert.equal(processes, 1);
  assert.deepEqual([viewOf(host, 'late').late, viewOf(host, 'late').problem], [false, undefined]);
  assert.deepEqual(
    host.tools().map(({ name }) => name),
    ['late__lists'],
  );
  const [text] = [...problems].filter((problem) => problem.includes('stderr'));
  assert.match(
    text!,
    /^it is not ready after \d+(?:\.\d)? seconds, and the host keeps waiting\. It last wrote to stderr: npm warn: fetching it$/,
  );
});

test('a program may take longer to start than to answer a request', async () => {
  const script = `setTimeout(() => import(process.argv[1]), 600)`;
  const launch = {
    kind: 'stdio',
    command: process.execPath,
    args: ['-e', script, path('server.ts')],
    env: {},
  } as const;
  let processes = 0;
  const how = { onStart: () => void processes++ };
  await using host = await hostOf([{ alias: 'slow', launch: { ...launch, how }, era: 'legacy', timeout: 300 }]);
  await host.start();
  assert.deepEqual([viewOf(host, 'slow').state, processes], ['ready', 1]);
});

test('[F-78] lists are read at most once per second, however often they change', async () => {
  await using host = await hostOf({ flood: { ...raw('flood'), ...QUICKLY } });
  await host.start();
  let times: number[] = [];
  // A call waits until the changed list was read.
  while (times.length < 3) times = JSON.parse(textOf(await host.call('flood__lists', {}))) as number[];
  // The first read is that of the start. The server measures arrivals, so one may be late and the next one not.
  assert.ok(times.at(-1)! - times[1]! >= 950 * (times.length - 2), times.join());
});

test(
  '[F-79] a killed host leaves no server running, not even one that ignores the end of its stdin and SIGTERM',
  { skip: process.platform === 'win32' ? 'Windows has no process groups' : false },
  async () => {
    const child = spawn(process.execPath, [path('killed.ts'), path('server.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [data] = (await once(child.stdout, 'data')) as [Buffer];
    const pids = JSON.parse(data.toString()) as number[];
    assert.equal(pids.every(isAlive), true);
    child.kill('SIGKILL');
    await until(() => !pids.some(isAlive), 'the end of both servers');
  },
);

test('[F-80] a remote server becomes available again after an outage without a restart', async () => {
  const app = server({ name: 'web', tools: { now: tool({}, () => 'here') } });
  const first = await serveHttp(app, { port: 0 });
  const port = Number(new URL(first.url).port);
  await using host = await hostOf({ modern: first.url });
  await using legacy = await hostOf([
    { alias: 'legacy', launch: { kind: 'http', url: first.url, headers: {} }, revision: '2025-06-18' },
  ]);
  await Promise.all([host.start(), legacy.start()]);
  await first.close();
  assert.equal((await host.call('modern__now', {})).isError, true);
  assert.equal((await legacy.call('legacy__now', {}, { timeout: 500 })).isError, true);
  const second = await serveHttp(app, { port });
  try {
    assert.equal(textOf(await host.call('modern__now', {})), 'here');
    assert.equal(textOf(await legacy.call('legacy__now', {})), 'here');
  } finally {
    await second.close();
  }
});

for (const revision of revisions) {
  test(`[F-81] a rejected token is renewed once for all waiting calls, on ${revision}`, async () => {
    let valid = 'first';
    const app = server({ name: 'web', tools: { now: tool({}, () => 'here') } });
    const served = await serveHttp(app, {
      port: 0,
      auth: ({ header }) =>
        header('authorization') === `Bearer ${valid}` ? { id: 'ada' } : { status: 401, message: 'Who are you?' },
    });
    let renewals = 0;
    let token = 'first';
    let renewing: Promise<boolean> | undefined;
    const auth: ClientAuth = {
      credentials: () => ({ authorization: `Bearer ${token}` }),
      challenged: ({ attempt, sent }) => {
        if (attempt >= 3) return Promise.resolve(false);
        if (sent['authorization'] !== `Bearer ${token}`) return Promise.resolve(true);
        return (renewing ??= (async () => {
          renewals++;
          await turns();
          token = valid;
          renewing = undefined;
          return true;
        })());
      },
    };
    try {
      await using host = await hostOf(
        [{ alias: 'web', launch: { kind: 'http', url: served.url, headers: {} }, revision }],
        { connect: () => ({ auth }) },
      );
      await host.start();
      assert.equal(textOf(await host.call('web__now', {})), 'here');
      valid = 'second';
      const results = await Promise.all(Array.from({ length: 8 }, () => host.call('web__now', {})));
      assert.deepEqual(
        results.map(textOf),
        Array.from({ length: 8 }, () => 'here'),
      );
      assert.equal(renewals, 1);
    } finally {
      await served.close();
    }
  });
}

test('an idle server is stopped, and started by the next call', async () => {
  await using host = await createHost({
    servers: [
      {
        alias: 'idle',
        launch: { kind: 'stdio', command: process.execPath, args: [path('server.ts')], env: {} },
        idleMs: 300,
      },
    ],
    approve: () => ({ allow: true, scope: 'session' }),
  });
  await host.start();
  const before = textOf(await host.call('idle__pid', {}));
  await until(() => viewOf(host, 'idle').state === 'idle');
  assert.equal(host.tools().length, 6);
  const after = textOf(await host.call('idle__pid', {}));
  assert.notEqual(after, before);
});

test('a server that fails at first is retried in the background', async () => {
  const marker = join(await mkdtemp(join(tmpdir(), 'second-')), 'tried');
  // Fails three times: one connection attempt makes two, because the server may reject the first request.
  const script = `const fs = require('fs'); const [, marker, server] = process.argv;
    fs.appendFileSync(marker, 'x');
    if (fs.readFileSync(marker).length <= 3) process.exit(1); import(server);`;
  await using host = await hostOf(
    {
      second: { command: process.execPath, args: ['-e', script, marker, path('server.ts')] },
      other: fixture(),
    },
    { limits: { restartMs: 100 } },
  );
  const problems = new Set<string | undefined>();
  host.on((event) => {
    if (event.kind === 'server' && event.server.alias === 'second') problems.add(event.server.problem);
  });
  await host.start();
  assert.equal(viewOf(host, 'other').state, 'ready');
  assert.match([...problems].join(), /exited with code 1/);
  assert.match(textOf(await host.call('other__greet', { name: 'Ada' })), /Ada/);
  await until(() => viewOf(host, 'second').state === 'ready');
  assert.equal(textOf(await host.call('second__greet', { name: 'Ada' })), 'Hello Ada');
});

test('connecting to an unreachable URL is retried until it succeeds', async () => {
  const app = server({ name: 'web', tools: { now: tool({}, () => 'here') } });
  const first = await serveHttp(app, { port: 0 });
  const { port } = new URL(first.url);
  await first.close();
  await using host = await hostOf({ web: first.url }, { limits: { restartMs: 1 } });
  let failures = 0;
  host.on((event) => {
    if (event.kind === 'server' && /could not be reached/.test(event.server.problem ?? '')) failures++;
  });
  await host.start();
  await until(() => failures > 20 || viewOf(host, 'web').state === 'failed');
  const second = await serveHttp(app, { port: Number(port) });
  try {
    await until(() => viewOf(host, 'web').state === 'ready');
  } finally {
    await host.close();
    await second.close();
  }
});

test('a program that always exits is given up after some attempts, whatever it writes to stderr; one that does not exist immediately', async () => {
  const starts: string[] = [];
  const broken = {
    command: process.execPath,
    args: ['-e', 'console.error("ENOENT: no database"); process.exit(1)'],
    onStart: () => void starts.push('broken'),
  };
  await using host = await hostOf(
    { broken, missing: { command: 'no-such-program-at-all' } },
    { limits: { restartMs: 1 } },
  );
  await host.start();
  assert.equal(viewOf(host, 'missing').state, 'failed');
  await until(() => viewOf(host, 'broken').state === 'failed');
  // Each attempt starts it a second time, as it may have ended because of the first message.
  assert.equal(starts.length, 10);
});

test('a server that hangs is restarted without a new approval', async () => {
  let asked = 0;
  // Shortens the wait for the response to the ping.
  let ahead = 0;
  const clock: Clock = {
    now: () => performance.now() + ahead,
    setTimeout: (run, ms) => (ms === 5_000 ? setTimeout(() => ((ahead += ms), run()), 50) : setTimeout(run, ms)),
    clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  };
  await using host = await hostOf(
    { one: { ...fixture(), ...QUICKLY } },
    {
      approve: (item) => ({ allow: item.kind === 'call' || asked++ === 0 }),
      connect: () => ({ clock }),
      limits: { restartMs: 10 },
    },
  );
  await host.start();
  const before = textOf(await host.call('one__pid', {}));
  assert.equal((await host.call('one__hang', {}, { timeout: 300 })).isError, true);
  await until(() => viewOf(host, 'one').state !== 'ready');
  await until(() => viewOf(host, 'one').state === 'ready');
  assert.notEqual(textOf(await host.call('one__pid', {})), before);
  assert.equal(asked, 1);
});

test('a server that ends and cannot be restarted has failed, and can be restarted manually', async () => {
  await using host = await hostOf({ one: fixture() });
  await host.start();
  const result = await host.call('one__die', {});
  assert.equal(result.isError, true);
  await host.restart('one');
  assert.equal(viewOf(host, 'one').state, 'ready');
  assert.equal(textOf(await host.call('one__greet', { name: 'Ada' })), 'Hello Ada');
});
