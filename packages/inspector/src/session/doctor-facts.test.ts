import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import { createTraceIndex } from '../trace/trace-index.ts';
import { doctorFacts } from './doctor-facts.ts';

const LINES = 200_000;

test('the doctor does not read a long trace again for each view', () => {
  const index = createTraceIndex();
  for (let n = 1; n <= LINES; n++)
    index.add({
      n,
      at: n,
      session: 'a',
      kind: n % 2 ? 'message' : 'junk',
      from: 'server',
      text: '{"jsonrpc":"2.0","method":"x"}',
    });
  doctorFacts(index, 'a');
  withinCpuMs(1_000, () => {
    for (let look = 0; look < 1_000; look++) {
      const { facts, junk } = doctorFacts(index, 'a');
      assert.ok(facts.length < 20 && junk === LINES / 2);
    }
  });
});

test('the first and the last lines of each sort are kept', () => {
  const index = createTraceIndex();
  for (let n = 1; n <= 100; n++)
    index.add({ n, at: n, session: 'a', kind: 'stderr', from: 'server', text: `line ${n}` });
  index.add({ n: 101, at: 101, session: 'b', kind: 'exit', from: 'server', text: 'exited with code 0' });
  index.add({ n: 102, at: 102, session: 'a', kind: 'exit', from: 'server', text: 'exited with code 3' });
  assert.deepEqual(
    doctorFacts(index, 'a').facts.map(({ n }) => n),
    [1, 100, 102],
  );
  assert.deepEqual(doctorFacts(index, 'nobody').facts, []);
});
