// How much of the shared limits one client may use.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { z } from 'zod';
import { jumpingTime, stopTime } from '../../../../scripts/lib/test-time.ts';
import { connect } from '../../src/entries/client.ts';
import { server, tool } from '../../src/entries/index.ts';
import { memoryStore } from '../../src/entries/http.ts';
import { serveHttp, type ServeHttpOptions } from '../../src/entries/node.ts';
import type { Revision } from '../../src/protocol/revision.ts';
import { type Fields, live, send, until } from './send.ts';
import { fieldsOf, initializeBody, JSON_FIELDS, type LegacySession, modernBody, type Stage, stage } from './stage.ts';

const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const satisfies readonly Revision[];
function gate(name: string) {
  return { name: 'gate', arguments: { name } };
}

/** Uses up the limit of one client with calls of 2026-07-28. */
async function fill(s: Stage, most: number, fields: Fields): Promise<void> {
  for (let n = 0; n < most; n++)
    live(s.url, 'POST', fieldsOf('tools/call', 'gate', fields), modernBody('tools/call', gate(`fill ${n}`)));
  await until(() => s.count('gate') === most);
}

function free(s: Stage, most: number): void {
  for (let n = 0; n < most; n++) s.made.open(`fill ${n}`);
}

const byPrincipal: ServeHttpOptions = { auth: ({ header }) => ({ id: header('x-client')! }) };
const byAddress: ServeHttpOptions = { addressHeader: 'X-Client' };

for (const [what, options] of [
  ['principal', byPrincipal],
  ['address', byAddress],
] as const)
  test(`one ${what} cannot use the whole limit of calls, in any revision`, async () => {
    const most = 3;
    const s = await stage({ ...options, limits: { calls: 100, callsPerPrincipal: most } });
    const [ann, bob] = [{ 'x-client': '192.0.2.1' }, { 'x-client': '192.0.2.2' }];
    await fill(s, most, ann);
    const refused = await s.call('slow', { ms: 1 }, ann);
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5']);
    assert.match(refused.text, /Too many calls of one client at once: the limit is 3/);
    assert.equal((await s.call('slow', { ms: 1 }, bob)).json.result.content[0].text, 'slept');
    for (const revision of LEGACY) {
      const slow = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow', arguments: { ms: 1 } } };
      const [hers, his] = [await s.session(revision, {}, ann), await s.session(revision, {}, bob)];
      assert.match((await hers.post(slow, ann)).json.error.message, /Too many calls of one client/);
      assert.equal((await his.post(slow, bob)).json.result.content[0].text, 'slept');
    }
    free(s, most);
    await until(async () => (await s.call('slow', { ms: 1 }, ann)).status === 200);
  });

test('an address in a header is ignored unless the header is configured', async () => {
  const s = await stage({ limits: { calls: 100, callsPerPrincipal: 2 } });
  await fill(s, 2, { 'x-forwarded-for': '192.0.2.1' });
  assert.equal((await s.call('slow', { ms: 1 }, { 'x-forwarded-for': '192.0.2.2' })).status, 503);
  free(s, 2);
});

test('calls of an HTTP+SSE client count among those of its principal', async () => {
  const s = await stage({ ...byPrincipal, sse: true, limits: { calls: 100, callsPerPrincipal: 2 } });
  const ann = { 'x-client': 'ann' };
  await fill(s, 2, ann);
  const stream = live(s.url.replace(/mcp$/, 'sse'), 'GET', { accept: 'text/event-stream', ...ann });
  await until(() => stream.events.length > 0);
  const { href } = new URL(stream.events[0]!.data, s.url);
  const post = (body: string) => send(href, 'POST', { 'content-type': 'application/json', ...ann }, body);
  await post(initializeBody('2024-11-05'));
  await stream.next();
  await post(
    JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'slow', arguments: { ms: 1 } } }),
  );
  assert.match((await stream.next()).error.message, /Too many calls of one client/);
  stream.drop();
  free(s, 2);
});

for (const [what, options] of [
  ['principal', byPrincipal],
  ['address', byAddress],
] as const)
  test(`however many \`once\` records one ${what} has, there is room for those of others`, async () => {
    let paid = 0;
    const pay = tool({}, async (_, ctx) => {
      await ctx.ask('sure', 'Pay?', z.object({ sure: z.boolean() }));
      return `paid ${await ctx.once('pay', () => ++paid)}`;
    });
    const app = server({ name: 'shop', tools: { pay } });
    const served = await serveHttp(app, {
      ...options,
      port: 0,
      signals: false,
      log() {},
      store: memoryStore({ maxEntries: 200 }),
    });
    after(() => served.close());
    const as = (address: string) =>
      connect(served.url, { headers: { 'x-client': address }, answers: { sure: { sure: true } } });
    await using ann = await as('192.0.2.1');
    let count = 0;
    while (count < 100 && (await ann.result('pay')).isError !== true) count++;
    assert.ok(count >= 5 && count <= 20, `${count} records of one client`);
    await using bob = await as('192.0.2.2');
    assert.equal(await bob.call('pay'), `paid ${count + 1}`);
    assert.equal(await bob.call('pay'), `paid ${count + 2}`);
    assert.equal(paid, count + 2);
  });

/** Begins a session without ever sending `notifications/initialized`. */
function initialize(s: Stage, fields: Fields = {}) {
  return send(s.url, 'POST', { ...JSON_FIELDS, ...fields }, initializeBody('2025-11-25'));
}

async function lives(session: LegacySession, fields: Fields = {}): Promise<boolean> {
  return (await session.post({ jsonrpc: '2.0', id: 'ping', method: 'ping' }, fields)).status === 200;
}

for (const revision of LEGACY)
  test(`abandoned sessions neither lock out nor end the sessions of other clients: ${revision}`, async (t) => {
    const { jump } = jumpingTime(t);
    const s = await stage({ limits: { sessions: 10 } });
    const session = await s.session(revision);
    jump(1_000);
    for (let n = 0; n < 9; n++) assert.equal((await initialize(s)).status, 200);
    jump(10_000);
    const late = await s.session(revision);
    for (let n = 0; n < 8; n++) assert.equal((await initialize(s)).status, 200);
    assert.deepEqual([await lives(session), await lives(late)], [true, true]);
    assert.ok(s.log.some(({ event }) => event === 'session-ended'));
  });

test('if there are too many sessions, one of the client with the most is ended, the one that was idle for longest', async (t) => {
  const { jump } = jumpingTime(t);
  const s = await stage({ ...byPrincipal, limits: { sessions: 6 } });
  const begin = async (name: string): Promise<LegacySession> => {
    jump(1_000);
    return s.session('2025-11-25', {}, { 'x-client': name });
  };
  const bob = await begin('bob');
  const hers = [await begin('ann'), await begin('ann'), await begin('ann'), await begin('ann')];
  const listening = hers[1]!.listen({ 'x-client': 'ann' });
  assert.equal(await listening.status, 200);
  jump(1_000);
  assert.equal(await lives(hers[0]!, { 'x-client': 'ann' }), true);
  const running = hers[2]!.begin(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: gate('in use') },
    { 'x-client': 'ann' },
  );
  await until(() => s.made.waiting('in use'));
  await begin('eve');
  // The table is full: her second session listens, the third runs a call, the first was used after the fourth.
  await begin('mia');
  const alive = await Promise.all(hers.map((one) => lives(one, { 'x-client': 'ann' })));
  assert.deepEqual(alive, [true, true, true, false]);
  assert.equal(await lives(bob, { 'x-client': 'bob' }), true);
  s.made.open('in use');
  await running.over;
  listening.drop();
});

test('a principal that has the maximum of sessions gets another in place of its least recently used one', async (t) => {
  const { jump } = jumpingTime(t);
  const s = await stage({ ...byPrincipal, limits: { sessionsPerPrincipal: 2 } });
  const ann = { 'x-client': 'ann' };
  const first = await s.session('2025-11-25', {}, ann);
  jump(1_000);
  const second = await s.session('2025-11-25', {}, ann);
  const bob = await s.session('2025-11-25', {}, { 'x-client': 'bob' });
  jump(1_000);
  const third = await s.session('2025-11-25', {}, ann);
  assert.deepEqual(await Promise.all([first, second, third].map((one) => lives(one, ann))), [false, true, true]);
  assert.equal(await lives(bob, { 'x-client': 'bob' }), true);
});

test('an idle session ends although a call runs whose client has left, and the call is cancelled', async (t) => {
  const time = stopTime(t);
  for (const revision of LEGACY) {
    const s = await stage({ limits: { sessionIdleMs: 60_000 } });
    const session = await s.session(revision);
    const left = session.begin({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: gate('left') });
    await until(() => s.made.waiting('left'));
    await time.pass(200_000);
    assert.equal(await lives(session), true, 'as long as its client waits');
    left.drop();
    await time.pass(50_000);
    assert.equal(s.count('gate-aborted'), 0);
    await time.pass(100_000);
    assert.equal(s.count('gate-aborted'), 1);
    assert.equal(await lives(session), false);
  }
});
