import assert from 'node:assert/strict';
import { featuresOf } from '../../src/protocol/revision.ts';
import type { Progress } from '../../src/entries/client.ts';
import { everywhere } from './cells.ts';
import { everywhereRaw, type Raw } from './raw.ts';

function reports(raw: Raw) {
  return raw.received.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params!);
}

everywhere('[PROG-3, PROG-5] progress arrives in order, increasing, before the result', async ({ client, cell }) => {
  const seen: (Progress | string)[] = [];
  const result = await client.call('work', { steps: 3 }, { onProgress: (progress) => void seen.push(progress) });
  seen.push(result as string);
  const message = (step: number) => (featuresOf(cell.revision).progressMessage ? { message: `step ${step}` } : {});
  assert.deepEqual(seen, [...[1, 2, 3].map((step) => ({ progress: step, total: 3, ...message(step) })), 'done']);
});

everywhereRaw('[PROG-3] a report that does not increase, or is not a number, is not sent', async (raw) => {
  const { result } = await raw.request('tools/call', { name: 'stagger' }, { meta: { progressToken: 't' } });
  assert.equal(result?.['content'][0].text, 'done');
  assert.deepEqual(
    reports(raw).map(({ progress, total }) => [progress, total]),
    [
      [-1, undefined],
      [0, undefined],
      [0.5, 1.5],
      [1, undefined],
    ],
  );
});

everywhereRaw('[PROG-1] the token is returned unchanged: a string or an integer', async (raw) => {
  for (const progressToken of ['token', '', '0', 0, 1, -5, Number.MAX_SAFE_INTEGER]) {
    const before = reports(raw).length;
    await raw.request('tools/call', { name: 'work', arguments: { steps: 1 } }, { meta: { progressToken } });
    assert.deepEqual(
      reports(raw)
        .slice(before)
        .map((params) => params['progressToken']),
      [progressToken],
    );
  }
});

everywhereRaw(
  '[PROG-1] an invalid token is ignored',
  async (raw) => {
    for (const progressToken of [null, true, {}, ['t']]) {
      const { result } = await raw.request(
        'tools/call',
        { name: 'work', arguments: { steps: 1 } },
        { meta: { progressToken } },
      );
      assert.equal(result?.['content'][0].text, 'done');
    }
    assert.deepEqual(reports(raw), []);
  },
  { hostile: true },
);

everywhereRaw('no progress is sent to callers that did not ask for it', async (raw) => {
  await raw.request('tools/call', { name: 'work', arguments: { steps: 2 } });
  await raw.request('prompts/get', { name: 'chatty' });
  await raw.request('resources/read', { uri: 'suite://chatty' });
  await raw.settled();
  assert.deepEqual(reports(raw), []);
});

everywhereRaw('prompts and resources can report progress, too', async (raw) => {
  await raw.request('prompts/get', { name: 'chatty' }, { meta: { progressToken: 'prompt' } });
  await raw.request('resources/read', { uri: 'suite://chatty' }, { meta: { progressToken: 'resource' } });
  assert.deepEqual(
    reports(raw).map((params) => params['progressToken']),
    ['prompt', 'resource'],
  );
});

everywhereRaw(
  '[PROG-7] no progress is sent after the response',
  async (raw) => {
    await raw.request('tools/call', { name: 'late' }, { meta: { progressToken: 'late' } });
    await raw.counted('late', 1);
    await raw.settled();
    assert.deepEqual(reports(raw), []);
  },
  { alone: true },
);

everywhere(
  '[PROG-2, PROG-6] simultaneous calls have different tokens, and each gets its own progress while it runs',
  async ({ client, wire }) => {
    const seen = [5, 3, 4].map((): number[] => []);
    await Promise.all(
      [5, 3, 4].map((steps, at) =>
        client.call('work', { steps }, { onProgress: ({ progress }) => void seen[at]!.push(progress) }),
      ),
    );
    assert.deepEqual(seen, [
      [1, 2, 3, 4, 5],
      [1, 2, 3],
      [1, 2, 3, 4],
    ]);
    const running = new Map<unknown, unknown>();
    const used: unknown[] = [];
    for (const { from, message } of wire) {
      if (from === 'client' && message.method === 'tools/call') {
        const token: unknown = message.params?.['_meta']['progressToken'];
        assert.equal([...running.values()].includes(token), false, 'no other running call has this token');
        running.set(message.id, token);
        used.push(token);
      } else if (message.method === 'notifications/progress')
        assert.ok([...running.values()].includes(message.params?.['progressToken']));
      else running.delete(message.id);
    }
    assert.equal(new Set(used).size, 3);
  },
);
