import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { bytesKept, contentOf, MOST_KEPT } from '../../../../scripts/lib/bytes-kept.ts';
import { onAbort } from './on-abort.ts';

function recorder() {
  const ran: string[] = [];
  return { ran, run: (name: string) => () => void ran.push(name) };
}

test('everything that waits for a signal runs once when it aborts, with one listener at the signal', () => {
  const { ran, run } = recorder();
  const controller = new AbortController();
  const stops = ['a', 'b', 'c'].map((name) => onAbort(controller.signal, run(name)));
  assert.equal(getEventListeners(controller.signal, 'abort').length, 1);
  stops[0]!();
  controller.abort();
  assert.deepEqual(ran.toSorted(), ['b', 'c']);
  for (const stop of stops) stop();
  assert.deepEqual(getEventListeners(controller.signal, 'abort'), []);
});

test('what is removed, in any order and repeatedly, does not run, and nothing else is removed', () => {
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
    [0, 2, 1],
  ]) {
    const { ran, run } = recorder();
    const controller = new AbortController();
    const stops = ['a', 'b', 'c', 'd'].map((name) => onAbort(controller.signal, run(name)));
    for (const index of order) {
      stops[index]!();
      stops[index]!();
    }
    controller.abort();
    assert.deepEqual(ran, ['d']);
  }
});

test('a signal that nothing waits for any more has no listener, and can be waited for again', () => {
  const { ran, run } = recorder();
  const controller = new AbortController();
  onAbort(controller.signal, run('a'))();
  assert.deepEqual(getEventListeners(controller.signal, 'abort'), []);
  onAbort(controller.signal, run('b'));
  controller.abort();
  assert.deepEqual(ran, ['b']);
});

test('other listeners of the signal change nothing', () => {
  const { ran, run } = recorder();
  const controller = new AbortController();
  const first = run('first');
  // In Node, an event has no `currentTarget` any more after its first listener.
  controller.signal.addEventListener('abort', () => {
    first();
    controller.signal.removeEventListener('abort', first);
  });
  onAbort(controller.signal, run('a'));
  controller.signal.addEventListener('abort', run('last'));
  controller.abort();
  assert.deepEqual(ran, ['first', 'a', 'last']);
});

test('a callback that another one cancels when the signal aborts does not run, and later ones run at once', () => {
  const { ran, run } = recorder();
  const controller = new AbortController();
  const stops: (() => void)[] = [];
  for (const name of ['a', 'b', 'c'])
    stops.push(
      onAbort(controller.signal, () => {
        run(name)();
        for (const stop of stops) stop();
      }),
    );
  controller.abort();
  onAbort(controller.signal, run('late'));
  onAbort(undefined, run('never'))();
  assert.equal(ran.length, 2);
  assert.equal(ran[1], 'late');
});

test('what no longer waits for a signal is not kept until the next full garbage collection', () => {
  const { signal } = new AbortController();
  const kept = bytesKept((id) => {
    const content = contentOf(id);
    return onAbort(signal, () => assert.fail(String(content)));
  });
  assert.ok(kept < MOST_KEPT, `${kept} bytes were kept`);
});
