// The system clock may be changed while a server runs. Durations do not depend on it; expiry times in signed data do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jumpingTime } from '../../../../scripts/lib/test-time.ts';
import { turns } from '../../../../scripts/lib/until.ts';
import { type Records, runRecorded } from '../../src/server/ask/once-records.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { stage } from './stage.ts';

const HOUR = 3_600_000;
const steps = { id: 1, jsonrpc: '2.0', method: 'tools/call' } as const;
const call = { ...steps, params: { name: 'steps', arguments: { n: 2 }, _meta: { progressToken: 1 } } };

for (const [direction, ms] of [
  ['ahead', HOUR],
  ['back', -HOUR],
] as const) {
  test(`a session and its events survive a step of the system clock: ${direction}`, async (t) => {
    const { jump } = jumpingTime(t, [Date]);
    const s = await stage();
    const session = await s.session('2025-11-25');
    const { events } = await session.post(call);
    jump(ms);
    assert.equal((await session.request('ping')).status, 200);
    const rest = session.listen({ 'last-event-id': events[0]!.id });
    await rest.over;
    assert.deepEqual(
      rest.events.map(({ id }) => id),
      events.slice(1).map(({ id }) => id),
    );
  });

  test(`an action of \`once\` runs once although the system clock is changed meanwhile: ${direction}`, async (t) => {
    const { jump } = jumpingTime(t, [Date]);
    const { signal } = new AbortController();
    const times = { lifeMs: HOUR / 2, leaseMs: 30_000 };
    const records: Records = { store: memoryStore(), ...times, signal: () => signal, log() {} };
    let acts = 0;
    const finish: (() => void)[] = [];
    const act = async () => {
      const result = ++acts;
      await new Promise<void>((resolve) => finish.push(resolve));
      return { result };
    };
    const first = runRecorded(records, 'key', act);
    await turns();
    jump(ms);
    const second = runRecorded(records, 'key', act);
    await turns();
    for (const one of finish) one();
    assert.deepEqual(await Promise.all([first, second]), [{ result: 1 }, { result: 1 }]);
    assert.equal(acts, 1);
  });
}

test('a session and its events expire by the monotonic clock', async (t) => {
  const { jump } = jumpingTime(t, [performance]);
  const s = await stage();
  const session = await s.session('2025-11-25');
  const { events } = await session.post(call);
  jump(6 * 60_000);
  const late = session.listen({ 'last-event-id': events[0]!.id });
  assert.equal(await late.status, 400);
  jump(HOUR);
  assert.equal((await session.request('ping')).status, 404);
});

test('state that a client carries between rounds expires by the system clock, which nodes share', async (t) => {
  const [day, forward] = [jumpingTime(t, [Date]), jumpingTime(t, [performance])];
  const s = await stage();
  const asked = await s.call('ask');
  const params = {
    name: 'ask',
    arguments: {},
    requestState: asked.json.result.requestState,
    inputResponses: { who: { action: 'accept', content: { name: 'Ann' } } },
  };
  forward.jump(HOUR);
  assert.equal((await s.modern('tools/call', params)).json.result.content[0].text, 'Hello, Ann');
  day.jump(HOUR);
  assert.equal((await s.modern('tools/call', params)).json.error.code, -32602);
});
