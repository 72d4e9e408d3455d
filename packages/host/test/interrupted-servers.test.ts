// Waiting questions survive unavailable servers and broken files in the state folder.
import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { serveHttp } from 'tenon/node';
import { turns } from '../../../scripts/lib/until.ts';
import { answerPending, createHost, type Decision, type HostEvent, listPending } from '../src/index.ts';
import { asking, leaveCall, newState, nextOf, until, yes } from './interrupted-kit.ts';

const KEY = 'a key that all servers here have, and that is long enough';
const CONTENT = { allow: true, content: { sure: true } } as const;

test('a question waits until its server, which is down when the host starts, is up', async () => {
  const { app, done } = asking();
  const state = await newState();
  const served = await serveHttp(app, { port: 0, keys: [KEY] });
  const servers = { one: served.url };
  const id = await leaveCall(state, servers);
  await served.close();
  await answerPending(state, id, CONTENT);
  await using host = await createHost({ state, servers, approve: yes });
  const end = nextOf(host, 'resumed');
  const problems: HostEvent[] = [];
  host.on((event) => event.kind === 'problem' && problems.push(event));
  await host.start();
  await turns();
  // There is no attempt to resume it.
  assert.deepEqual(problems, []);
  assert.deepEqual(
    (await listPending(state)).map((item) => item.id),
    [id],
  );
  const again = await serveHttp(app, { port: Number(new URL(served.url).port), keys: [KEY] });
  try {
    await host.restart('one');
    await end;
    assert.deepEqual(done, ['leave']);
    assert.deepEqual(await listPending(state), []);
  } finally {
    await host.close();
    await again.close();
  }
});

test('a question keeps waiting while its server restarts, and its answer is sent afterwards', async () => {
  const { app, done } = asking();
  const state = await newState();
  const served = await serveHttp(app, { port: 0, keys: [KEY] });
  const servers = { one: served.url };
  const id = await leaveCall(state, servers);
  await using host = await createHost({ state, servers, approve: yes });
  const end = nextOf(host, 'resumed');
  await host.start();
  await until(() => host.pending().length > 0);
  await host.restart('one');
  await until(() => host.pending().length > 0 && host.servers()[0]?.state === 'ready');
  assert.equal(host.pending()[0]?.id, id);
  await served.close();
  const failed = nextOf(host, 'problem');
  assert.equal(host.answer(id, CONTENT), true);
  const problem = await failed;
  assert.ok(problem.kind === 'problem');
  assert.match(problem.message, /will be tried again/);
  const again = await serveHttp(app, { port: Number(new URL(served.url).port), keys: [KEY] });
  try {
    await end;
    assert.deepEqual(done, ['leave']);
  } finally {
    await host.close();
    await again.close();
  }
});

test('a question whose server is not allowed to start stays for a host that allows it', async () => {
  const { app, done } = asking();
  const state = await newState();
  const served = await serveHttp(app, { port: 0, keys: [KEY] });
  const servers = { one: served.url };
  try {
    const id = await leaveCall(state, servers);
    const refusing = await createHost({ state, servers, approve: () => ({ allow: false }) });
    await refusing.start();
    await turns();
    await refusing.close();
    assert.deepEqual(
      (await listPending(state)).map((item) => item.id),
      [id],
    );
    await answerPending(state, id, CONTENT);
    await using host = await createHost({ state, servers, approve: yes });
    const end = nextOf(host, 'resumed');
    await host.start();
    await end;
    assert.deepEqual(done, ['leave']);
  } finally {
    await served.close();
  }
});

test('an interrupted call is resumed while another server still waits for its approval', async () => {
  const { app } = asking();
  const state = await newState();
  const served = await serveHttp(app, { port: 0, keys: [KEY] });
  try {
    const id = await leaveCall(state, { one: served.url });
    await answerPending(state, id, CONTENT);
    await using host = await createHost({
      state,
      servers: { one: served.url, slow: served.url },
      approve: ({ server }) => (server === 'one' ? { allow: true } : new Promise<Decision>(() => {})),
    });
    const end = nextOf(host, 'resumed');
    void host.start();
    await end;
  } finally {
    await served.close();
  }
});

test('the total time limit of calls applies to resumed calls', async () => {
  const { app } = asking();
  const state = await newState();
  const served = await serveHttp(app, { port: 0, keys: [KEY] });
  try {
    await leaveCall(state, { one: served.url });
    await using host = await createHost({ state, servers: { one: served.url }, approve: yes, limits: { callMs: 100 } });
    const end = nextOf(host, 'resumed', 'problem');
    await host.start();
    const event = await end;
    assert.ok(event.kind === 'problem');
    assert.match(event.message, /within its total time limit/);
    // The question may have been in the middle of being stored when the time limit was reached.
    await until(async () => (await listPending(state)).length === 0);
    assert.deepEqual(host.pending(), []);
  } finally {
    await served.close();
  }
});

test('broken files in the state folder are quarantined, and the host starts', async () => {
  const { app, done } = asking();
  const state = await newState();
  const served = await serveHttp(app, { port: 0, keys: [KEY] });
  try {
    const servers = { one: served.url };
    const id = await leaveCall(state, servers);
    await answerPending(state, id, CONTENT);
    await mkdir(join(state, 'grants'), { recursive: true });
    for (const folder of ['pending', 'grants']) {
      for (const [name, text] of Object.entries({ null: 'null', torn: '{"item":', 'a b': '{}', '.DS_Store': 'x' })) {
        await writeFile(join(state, folder, `${name}.json`), text);
      }
    }
    await using host = await createHost({ state, servers, approve: yes });
    const problems: HostEvent[] = [];
    host.on((event) => event.kind === 'problem' && problems.push(event));
    const end = nextOf(host, 'resumed');
    await host.start();
    await end;
    assert.deepEqual(done, ['leave']);
    assert.equal(problems.length, 4);
    for (const folder of ['pending', 'grants']) {
      assert.equal((await readdir(join(state, folder))).filter((name) => name.endsWith('.bad')).length, 2, folder);
    }
  } finally {
    await served.close();
  }
});

test('a second host on the same folder does not touch the items of the first', async () => {
  const { app, done } = asking();
  const state = await newState();
  const served = await serveHttp(app, { port: 0, keys: [KEY] });
  try {
    const servers = { one: served.url };
    await using first = await createHost({
      state,
      servers,
      approve: ({ kind }) => (kind === 'start' ? { allow: true } : new Promise<Decision>(() => {})),
      rules: [{ effect: 'allow', tool: 'confirm' }],
    });
    await first.start();
    const result = first.call('one__confirm', { what: 'once' });
    await until(() => first.pending().length > 0);
    const [item] = first.pending();
    await using second = await createHost({ state, servers, approve: yes });
    await second.start();
    // It has read the folder at its start, before this.
    for (let reads = 0; reads < 5; reads++) assert.equal((await listPending(state)).length, 1);
    await turns();
    assert.deepEqual([second.pending().length, second.answer(item!.id, CONTENT)], [0, false]);
    assert.equal(await answerPending(state, item!.id, CONTENT), true);
    assert.match(JSON.stringify((await result).content), /Did once/);
    assert.deepEqual(done, ['once']);
  } finally {
    await served.close();
  }
});

test('a question of an earlier program says so, and from when it is; a new one does not', async () => {
  const { app } = asking();
  const state = await newState();
  const served = await serveHttp(app, { port: 0, keys: [KEY] });
  const servers = { one: served.url };
  try {
    const before = Date.now();
    await leaveCall(state, servers);
    const after = Date.now();
    // Also in the second program that resumes it.
    for (let program = 0; program < 2; program++) {
      await until(() => Date.now() > after);
      await using host = await createHost({ state, servers, approve: yes });
      await host.start();
      await until(() => host.pending().length > 0);
      const [old] = host.pending();
      assert.ok(old?.kind === 'question');
      assert.deepEqual([old.resumed, old.tool], [true, 'one__confirm']);
      assert.ok(old.at >= before && old.at <= after, String(old.at));
      void host.call('one__confirm', { what: 'more' });
      await until(() => host.pending().length > 1);
      const fresh = host.pending().find(({ id }) => id !== old.id);
      assert.ok(fresh?.kind === 'question' && fresh.at > after);
      assert.equal(fresh.resumed, undefined);
      host.answer(fresh.id, { allow: false });
      await until(() => host.pending().length === 1);
    }
  } finally {
    await served.close();
  }
});

test('a question of a server in a program that ended, which had no keys, is not shown, and a problem says why', async () => {
  const { app } = asking();
  const state = await newState();
  await leaveCall(state, { one: app });
  const shown: unknown[] = [];
  await using host = await createHost({
    state,
    servers: { one: app },
    approve: yes,
    ask: (item) => (shown.push(item), yes()),
  });
  const end = nextOf(host, 'resumed', 'problem');
  await host.start();
  const event = await end;
  assert.ok(event.kind === 'problem');
  assert.match(
    event.message,
    /^An interrupted call \(confirm\) could not be resumed: its server was part of .*TENON_KEYS/,
  );
  await until(async () => (await listPending(state)).length === 0);
  assert.deepEqual(shown, []);
});

test('a call of a server in the program that has keys is resumed by the next program', async () => {
  const { app, done } = asking();
  const state = await newState();
  const options = { state, servers: { one: app }, approve: yes, connect: () => ({ serve: { keys: [KEY] } }) };
  const first = await createHost(options);
  await first.start();
  void first.call('one__confirm', { what: 'leave' });
  await until(() => first.pending().length > 0);
  await first.close();
  await using host = await createHost({ ...options, ask: () => CONTENT });
  const end = nextOf(host, 'resumed', 'problem');
  await host.start();
  assert.equal((await end).kind, 'resumed');
  assert.deepEqual(done, ['leave']);
});
