// Faults around a server: too many connections, too much work, clients that vanish, a shutdown in the middle of everything.
import assert from 'node:assert/strict';
import { connect as dial, type Socket } from 'node:net';
import process from 'node:process';
import { test } from 'node:test';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { turns } from '../../../../scripts/lib/until.ts';
import { serveHttp } from '../../src/entries/node.ts';
import { makeApp } from './app.ts';
import { live, send, until } from './send.ts';
import { fieldsOf, initializeBody, JSON_FIELDS, modernBody, stage } from './stage.ts';

/** The raw request for a tool call. */
function postText(tool: string, body: string): string {
  const fields = Object.entries({ host: 'localhost', ...fieldsOf('tools/call', tool), 'content-length': body.length });
  return `POST /mcp HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${String(value)}\r\n`).join('')}\r\n${body}`;
}

function silence(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = dial(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}

test('[F-25] idle connections make room for active ones', async () => {
  const s = await stage({ connections: 50 });
  const silent = await Promise.all(Array.from({ length: 200 }, () => silence(s.port)));
  for (let turn = 0; turn < 5; turn++) await s.checkWorks();
  await until(() => silent.filter(({ destroyed, readyState }) => !destroyed && readyState === 'open').length <= 50);
  // Busy connections may finish, and new ones have to wait.
  const busy = Array.from({ length: 50 }, (_, index) =>
    live(
      s.url,
      'POST',
      fieldsOf('tools/call', 'gate'),
      modernBody('tools/call', { name: 'gate', arguments: { name: `f25-${index}` } }),
    ),
  );
  await until(() => s.count('gate') === 50);
  await assert.rejects(s.modern('tools/list'));
  for (let index = 0; index < 50; index++) s.made.open(`f25-${index}`);
  for (const one of busy) {
    await one.over;
    assert.equal(await one.status, 200);
  }
  await s.checkWorks();
  for (const socket of silent) socket.destroy();
});

test(
  'one network cannot take all connections: the network with the most loses its newest ones',
  { skip: process.platform !== 'linux' && 'loopback has one address' },
  async () => {
    const s = await stage({ connections: 20 });
    const greedy = Array.from({ length: 20 }, (_, index) => {
      const socket = dial({ port: s.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      socket.on('error', () => {});
      const params = { name: 'gate', arguments: { name: `network-${index}` } };
      socket.write(postText('gate', modernBody('tools/call', params)));
      return socket;
    });
    await until(() => s.count('gate') === 20);
    for (let turn = 0; turn < 3; turn++) await s.checkWorks();
    const open = greedy.filter(({ readyState }) => readyState === 'open');
    assert.ok(open.length >= 17 && open.length < 20, `${open.length} are left`);
    for (let index = 0; index < 20; index++) s.made.open(`network-${index}`);
    for (const socket of greedy) socket.destroy();
  },
);

test('pipelined requests wait for their turn: responses that are not read do not fill the memory, and come in order', async () => {
  const s = await stage();
  const before = s.count('big');
  const one = (id: number): string =>
    postText('big', modernBody('tools/call', { name: 'big', arguments: { bytes: 4_000_000 } }, {}, `pipelined-${id}`));
  const socket = await silence(s.port);
  socket.pause();
  socket.write(Array.from({ length: 20 }, (_, id) => one(id)).join(''));
  await until(() => s.count('big') > before);
  await s.checkWorks();
  // The system buffers some of the data for a client that does not read.
  assert.ok(s.count('big') - before < 10, `${s.count('big') - before} were answered`);
  const ids: string[] = [];
  let rest = '';
  socket.on('data', (chunk: Buffer) => {
    const pieces = (rest + chunk.toString('latin1')).split(/"id":"pipelined-(\d+)"/);
    ids.push(...pieces.filter((_, at) => at % 2 === 1));
    rest = pieces.at(-1)!.slice(-100);
  });
  socket.resume();
  await until(() => ids.length === 20);
  assert.deepEqual(
    ids,
    Array.from({ length: 20 }, (_, id) => String(id)),
  );
  socket.destroy();
});

test('[F-30] beyond its limit a server refuses at once, finishes what it has accepted, and recovers', async () => {
  const s = await stage({ limits: { calls: 20 } });
  const calls = Array.from({ length: 100 }, (_, index) =>
    live(
      s.url,
      'POST',
      fieldsOf('tools/call', 'gate'),
      modernBody('tools/call', { name: 'gate', arguments: { name: `f30-${index}` } }),
    ),
  );
  const statuses = new Map<number, number>();
  calls.forEach((call, index) => void call.status.then((status) => statuses.set(index, status)));
  const having = (wanted: number): number[] =>
    [...statuses].flatMap(([index, status]) => (status === wanted ? [index] : []));
  await until(() => having(503).length === 80, '80 refusals');
  const refused = calls[having(503)[0]!]!;
  assert.equal((await refused.headers)['retry-after'], '5');
  assert.equal(s.count('gate'), 20);
  const session = await s.session('2025-11-25');
  assert.match(
    (await session.request('tools/call', { name: 'add', arguments: { a: 1, b: 1 } })).text,
    /Too many calls/,
  );
  for (let index = 0; index < 100; index++) s.made.open(`f30-${index}`);
  await Promise.all(calls.map(({ over }) => over));
  assert.equal(having(200).length, 20);
  await s.checkWorks();
});

test('[F-39] clients that vanish leave nothing behind', async (t) => {
  const time = stopTime(t);
  const most = 1_000;
  const s = await stage({ limits: { sessions: most, sessionIdleMs: 60_000 } });
  const begin = async () => (await send(s.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'))).status;
  for (let turn = 0; turn < 2; turn++) {
    for (let begun = 0; begun < most; begun += 50)
      assert.deepEqual(new Set(await Promise.all(Array.from({ length: 50 }, begin))), new Set([200]));
    // Other clients are still served meanwhile.
    await s.session('2025-11-25');
    await time.pass(100_000);
  }
  await s.checkWorks();
});

test('[F-38] closing races with everything else, and always completes', async () => {
  const race = async (turn: number): Promise<void> => {
    const { app } = makeApp();
    const served = await serveHttp(app, { port: 0, signals: false, drainMs: 20 });
    const half = await silence(served.port);
    half.on('error', () => {});
    half.write(
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"json',
    );
    const open = [
      live(served.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25')),
      live(
        served.url,
        'POST',
        fieldsOf('tools/call', 'gate'),
        modernBody('tools/call', { name: 'gate', arguments: { name: 'never' } }),
      ),
      live(
        served.url,
        'POST',
        fieldsOf('subscriptions/listen'),
        modernBody('subscriptions/listen', { notifications: { toolsListChanged: true } }),
      ),
    ];
    await turns(turn * 3);
    await Promise.all([served.close(), served.close()]);
    await Promise.all(open.map(({ over }) => over));
    half.destroy();
    await assert.rejects(send(served.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25')));
  };
  // Each waits a second for the half-sent request.
  await Promise.all(Array.from({ length: 8 }, (_, turn) => race(turn)));
});
