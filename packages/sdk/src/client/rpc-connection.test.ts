import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { turns, until } from '../../../../scripts/lib/until.ts';
import { ConnectionError, PeerError, ProtocolError, TimeoutError } from '../protocol/errors.ts';
import type { JsonObject, Request, RequestId } from '../protocol/jsonrpc.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { LogEntry } from '../protocol/log.ts';
import { type FakeClock, fakeClock } from '../testing/fake-clock.ts';
import { RpcConnection, type RequestOptions } from './rpc-connection.ts';
import type { ClientTransport, Receiver } from './client-transport.ts';
import { createReport } from './report.ts';

interface Bench {
  readonly calls: RpcConnection;
  readonly clock: FakeClock;
  readonly log: LogEntry[];
  /** The messages that were sent. */
  readonly sent: JsonObject[];
  readonly cancelled: { readonly id: RequestId; readonly reason: string }[];
  /** Delivers a message of the peer. */
  receive(value: unknown): void;
  reply(id: RequestId, result?: JsonObject): void;
  /** Delivers input that is not a message. */
  junk(text: string): void;
  end(error?: unknown): void;
  request(options?: Partial<RequestOptions>, method?: string): Promise<JsonObject>;
}

function bench(transport: Partial<ClientTransport> = {}): Bench {
  const clock = fakeClock();
  const log: LogEntry[] = [];
  const sent: JsonObject[] = [];
  const cancelled: { id: RequestId; reason: string }[] = [];
  let receiver!: Receiver;
  const calls = new RpcConnection(
    {
      start: (given) => void (receiver = given),
      send: (message) => void sent.push(message as unknown as JsonObject),
      cancel: (id, reason) => void cancelled.push({ id, reason }),
      close() {},
      ...transport,
    },
    clock,
    createReport((entry) => log.push(entry)),
    DEFAULT_LIMITS,
  );
  const receive = (value: unknown): void => receiver.value(value, false);
  return {
    calls,
    clock,
    log,
    sent,
    cancelled,
    receive,
    reply: (id, result = {}) => receive({ jsonrpc: '2.0', id, result }),
    end: (error) => receiver.end(error),
    junk: (text) => receiver.problem(text),
    request: (options, method = 'tools/call') =>
      calls.request(calls.nextId(), method, {}, { timeout: 1_000, deadline: 10_000, ...options }),
  };
}

test('[BASE-5] [BASE-6] [BASE-7] ids are integers that are never reused', async () => {
  const { request, sent, reply } = bench();
  const first = request();
  reply(1);
  await first;
  void request().catch(() => {});
  void request().catch(() => {});
  assert.deepEqual(
    sent.map(({ id }) => id),
    [1, 2, 3],
  );
});

test('[BASE-8] an answer whose id has another type never settles a request, and fails the one that it was meant for', async () => {
  const { request, reply, log, calls } = bench();
  const waiting = request();
  reply('1', { wrong: true });
  await assert.rejects(waiting, (error) => {
    assert.ok(error instanceof PeerError);
    assert.equal(
      error.message,
      'The server answered tools/call with the id "1", but the request has 1: it must send back the number',
    );
    return true;
  });
  assert.equal(calls.pendingCount, 0);
  const other = request();
  for (const id of ['3', '-2', 'two', '', 'null', '2,']) reply(id, { wrong: true });
  await until(() => log.length === 6);
  assert.ok(log.every(({ event }) => event === 'stray-reply'));
  reply(2, { right: true });
  assert.deepEqual(await other, { right: true });
});

test('an error of the peer rejects with code, message and data', async () => {
  const { request, receive } = bench();
  const waiting = request();
  receive({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no', data: { why: 1 } } });
  await assert.rejects(waiting, (error) => {
    assert.ok(error instanceof ProtocolError);
    assert.deepEqual([error.code, error.message, error.data], [-32602, 'no', { why: 1 }]);
    return true;
  });
});

test('[CANC-7] [CANC-8] [A-29] stray, late and duplicate answers are reported and ignored', async () => {
  const { request, reply, log, calls, clock } = bench();
  reply(77);
  const answered = request();
  reply(1, { n: 1 });
  reply(1, { n: 2 });
  assert.deepEqual(await answered, { n: 1 });
  const late = request();
  clock.tick(1_001);
  await assert.rejects(late, TimeoutError);
  reply(2);
  await until(() => log.length === 3);
  assert.deepEqual(
    log.map(({ event }) => event),
    ['stray-reply', 'late-reply', 'late-reply'],
  );
  assert.equal(calls.pendingCount, 0);
});

test('[A-29] a response with both result and error, or neither, rejects its request and is reported', async () => {
  const { request, receive, log, calls } = bench();
  const both = request();
  receive({ jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } });
  await assert.rejects(both, PeerError);
  const neither = request();
  receive({ jsonrpc: '2.0', id: 2 });
  await assert.rejects(neither, PeerError);
  receive({ jsonrpc: '2.0', id: 99, result: {}, error: { code: 1, message: '' } });
  assert.deepEqual(
    log.map(({ event }) => event),
    ['invalid-message', 'invalid-message', 'invalid-message'],
  );
  assert.equal(calls.pendingCount, 0);
});

test('a malformed request of the peer never settles a request of ours with the same id', async () => {
  const { request, receive, reply } = bench();
  const waiting = request();
  receive({ jsonrpc: '2.0', id: 1, method: 'x', params: 7 });
  receive({ jsonrpc: '2.0', id: 1, method: 7 });
  reply(1, { ok: true });
  assert.deepEqual(await waiting, { ok: true });
});

test('repeated events do not fill the log', async () => {
  const { reply, log } = bench();
  for (let n = 0; n < 5_000; n++) reply(`stray ${n}`);
  await until(() => log.length >= 20);
  await turns();
  assert.equal(log.length, 20);
});

test('an error without an id is passed on and settles no request', async () => {
  const { request, receive, calls, reply } = bench();
  const errors: unknown[] = [];
  calls.inbound = { batch: false, request() {}, notification() {}, unreadable: (error) => errors.push(error.code) };
  const waiting = request();
  receive({ jsonrpc: '2.0', error: { code: -32700, message: 'x' } });
  receive({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'x' } });
  assert.deepEqual(errors, [-32700, -32600]);
  reply(1);
  await waiting;
});

test('[LIFE-12] [LIFE-13] [LIFE-14] [LIFE-15] [CANC-13] [STDIO-11] [TOOL-40] a request without answer times out and is cancelled on the wire', async () => {
  const { request, clock, cancelled, calls } = bench();
  const waiting = request({ timeout: 500 });
  clock.tick(499);
  assert.equal(calls.pendingCount, 1);
  clock.tick(1);
  await assert.rejects(
    waiting,
    (error) => error instanceof TimeoutError && /tools\/call for 500 ms/.test(error.message),
  );
  assert.deepEqual(cancelled, [{ id: 1, reason: 'timeout' }]);
  assert.equal(clock.timers, 0);
});

test('the error of a request that timed out says if input was lost meanwhile, and only then', async () => {
  const { request, clock, junk } = bench();
  const during = request();
  junk('A line of 20000000 bytes was skipped');
  const after = request();
  clock.tick(1_000);
  await assert.rejects(during, /lost meanwhile: A line of 20000000 bytes/);
  await assert.rejects(after, (error) => !/lost/.test((error as Error).message));
});

test('[LIFE-8] [CANC-2] initialize is never cancelled on the wire', async () => {
  const { request, clock, cancelled } = bench();
  const waiting = request({ cancellable: false }, 'initialize');
  clock.tick(1_000);
  await assert.rejects(waiting, TimeoutError);
  assert.deepEqual(cancelled, []);
});

test('[LIFE-17] progress restarts the timeout of a request', async () => {
  const { request, clock, receive, reply } = bench();
  const seen: unknown[] = [];
  const waiting = request({ onProgress: (progress) => seen.push(progress) });
  for (let step = 1; step <= 5; step++) {
    clock.tick(900);
    receive({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 1, progress: step, total: 5, message: 'm' },
    });
  }
  reply(1);
  await waiting;
  assert.equal(seen.length, 5);
  assert.deepEqual(seen[0], { progress: 1, total: 5, message: 'm' });
});

test('[LIFE-18] [A-47] however much progress is reported, a request ends at its total time limit and is cancelled', async () => {
  const { request, clock, receive, cancelled } = bench();
  const waiting = request({ deadline: 5_000, onProgress() {} });
  for (let step = 1; step <= 20; step++) {
    clock.tick(500);
    receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: step } });
  }
  await assert.rejects(waiting, (error) => error instanceof TimeoutError && /total time limit/.test(error.message));
  assert.equal(cancelled.length, 1);
});

test('[PROG-3] [PROG-6] progress that does not increase, or has no running request, is ignored and does not restart the timeout', async () => {
  const { request, clock, receive, log } = bench();
  const seen: number[] = [];
  const waiting = request({ onProgress: ({ progress }) => seen.push(progress) });
  const progress = (progressToken: unknown, progress: unknown): void =>
    receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress } });
  progress(1, 2);
  clock.tick(900);
  progress(1, 2);
  progress(1, 1);
  progress(1, 'x');
  progress('1', 5);
  progress(9, 5);
  receive({ jsonrpc: '2.0', method: 'notifications/progress' });
  assert.deepEqual(seen, [2]);
  assert.deepEqual(
    log.map(({ event }) => event),
    ['bad-progress', 'bad-progress', 'bad-progress', 'stray-progress', 'stray-progress', 'bad-progress'],
  );
  clock.tick(100);
  await assert.rejects(waiting, TimeoutError);
});

test('progress that is not a finite number is ignored, and so is such a total', async () => {
  const { request, receive, reply, log } = bench();
  const seen: unknown[] = [];
  const waiting = request({ onProgress: (progress) => seen.push(progress) });
  // As JSON.parse reads 1e999.
  for (const [progress, total] of [
    [Infinity, 1],
    [-Infinity, 1],
    [1, Infinity],
    [2, 10],
  ])
    receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress, total } });
  reply(1);
  await waiting;
  assert.deepEqual(seen, [{ progress: 1 }, { progress: 2, total: 10 }]);
  assert.deepEqual(
    log.map(({ event }) => event),
    ['bad-progress', 'bad-progress'],
  );
});

test('an exception of onProgress does not affect the request', async () => {
  const { request, receive, reply, log } = bench();
  const waiting = request({
    onProgress() {
      throw new Error('mine');
    },
  });
  receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });
  reply(1);
  await waiting;
  assert.equal(log[0]?.event, 'handler-failed');
});

test('[CANC-1] [CANC-12] aborting rejects with an AbortError and cancels a running request on the wire, once', async () => {
  const { request, cancelled, reply } = bench();
  const controller = new AbortController();
  const waiting = request({ signal: controller.signal });
  const done = request({ signal: controller.signal });
  reply(2);
  await done;
  controller.abort('enough');
  await assert.rejects(waiting, { name: 'AbortError' });
  assert.deepEqual(cancelled, [{ id: 1, reason: 'enough' }]);
  await assert.rejects(request({ signal: controller.signal }), { name: 'AbortError' });
  assert.equal(cancelled.length, 1);
});

test('an abort listener is removed from a long-lived signal', async () => {
  const { request, reply } = bench();
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
  const waiting = request({ signal });
  assert.equal(listeners, 1);
  reply(1);
  await waiting;
  assert.equal(listeners, 0);
});

test('while a user is asked something, only the total time limit counts', async () => {
  const { request, clock, calls, reply } = bench();
  const waiting = request();
  const release = calls.pauseTimeouts();
  // Not a multiple of the timeout: the time without news begins again with the release, not with the last look at the deadline.
  clock.tick(5_500);
  release();
  release();
  clock.tick(999);
  reply(1);
  await waiting;
  const held = request({ deadline: clock.now() + 2_000 });
  const again = calls.pauseTimeouts();
  clock.tick(2_000);
  await assert.rejects(held, TimeoutError);
  again();
});

test('a broken connection rejects all pending requests, with the cause', async () => {
  const { request, end, calls, cancelled } = bench();
  const cause = new Error('exit 3');
  const waiting = [request(), request()];
  end(cause);
  for (const one of waiting)
    await assert.rejects(one, (error) => error instanceof ConnectionError && error.cause === cause);
  await assert.rejects(request(), (error) => error instanceof ConnectionError && error.cause === cause);
  assert.equal((await calls.ended).cause, cause);
  assert.deepEqual(cancelled, []);
});

test('a message that cannot be sent rejects only its own request', async () => {
  const { request, calls } = bench({
    send: (message) => ((message as Request).id === 1 ? Promise.reject(new Error('EPIPE')) : undefined),
  });
  await assert.rejects(request(), ConnectionError);
  assert.equal(calls.pendingCount, 0);
  void request().catch(() => {});
  assert.equal(calls.pendingCount, 1);
});

test('notifications are delivered before the response that follows them', async () => {
  const { request, receive, reply, calls } = bench();
  const order: string[] = [];
  calls.inbound = { batch: false, request() {}, notification: ({ method }) => order.push(method), unreadable() {} };
  const waiting = request().then(() => order.push('answer'));
  receive({ jsonrpc: '2.0', method: 'a' });
  receive({ jsonrpc: '2.0', method: 'b' });
  reply(1);
  receive({ jsonrpc: '2.0', method: 'c' });
  await waiting;
  assert.deepEqual(order, ['a', 'b', 'c', 'answer']);
});

test('thousands of requests share one timer, which is cleared after them', async () => {
  const { request, clock, reply, calls } = bench();
  const all = Array.from({ length: 2_000 }, (_, n) => request({ timeout: 500 + n }));
  assert.equal(clock.timers, 1);
  for (let id = 1; id <= 1_000; id++) reply(id);
  clock.tick(10_000);
  const settled = await Promise.allSettled(all);
  assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1_000);
  assert.equal(calls.pendingCount, 0);
  assert.equal(clock.timers, 0);
});

type Step =
  | { readonly do: 'request'; readonly timeout: number; readonly progress: boolean }
  | { readonly do: 'reply' | 'error' | 'invalid' | 'abort' | 'progress'; readonly of: number }
  | { readonly do: 'wait'; readonly ms: number };

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('request' as const),
      timeout: fc.integer({ min: 1, max: 400 }),
      progress: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'reply' as const,
        'error' as const,
        'invalid' as const,
        'abort' as const,
        'progress' as const,
      ),
      of: fc.nat(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 300 }) }) },
);

test('property: whatever interleaving of requests, answers, cancels, timeouts, late and duplicate replies, each promise settles as its first event says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 600, size: 'max' }), { maxLength: 5, size: 'max' }),
      async (schedules) => {
        const { calls, clock, receive } = bench();
        const controllers: AbortController[] = [];
        const expected: (string | undefined)[] = [];
        const due: { at: number; timeout: number; progress: boolean; seen: number }[] = [];
        const promises: Promise<string>[] = [];
        const last = 2_000;
        const decide = (of: number, outcome: string): void => void (expected[of] ??= outcome);

        const perform = (one: Step): void => {
          if (one.do === 'wait') {
            const now = clock.now() + one.ms;
            for (const [of, { at }] of due.entries()) if (Math.min(at, last) <= now) decide(of, 'TimeoutError');
            return clock.tick(one.ms);
          }
          if (one.do === 'request') {
            if (promises.length === 1_000) return;
            const controller = new AbortController();
            const id = calls.nextId();
            controllers.push(controller);
            due.push({ at: clock.now() + one.timeout, timeout: one.timeout, progress: one.progress, seen: 0 });
            expected.push(undefined);
            const onProgress = one.progress ? () => {} : undefined;
            const sent = calls.request(
              id,
              'm',
              {},
              {
                timeout: one.timeout,
                deadline: Math.max(last, clock.now() + 1),
                signal: controller.signal,
                onProgress,
              },
            );
            promises.push(
              sent.then(
                (result) => `result ${String(result['id'])}`,
                (error: Error) => (error instanceof ProtocolError ? `error ${error.code}` : error.name),
              ),
            );
            return;
          }
          const of = promises.length === 0 ? one.of : one.of % (promises.length + 3);
          const id = of + 1;
          const entry = due[of];
          if (one.do === 'abort') {
            if (entry !== undefined) decide(of, 'AbortError');
            return controllers[of]?.abort();
          }
          if (one.do === 'progress') {
            const progress = (entry?.seen ?? 0) + 1;
            if (entry?.progress === true && expected[of] === undefined) {
              entry.seen = progress;
              entry.at = clock.now() + entry.timeout;
            }
            return receive({
              jsonrpc: '2.0',
              method: 'notifications/progress',
              params: { progressToken: id, progress },
            });
          }
          if (entry !== undefined)
            decide(of, one.do === 'reply' ? `result ${id}` : one.do === 'error' ? `error ${-id}` : 'PeerError');
          if (one.do === 'reply') receive({ jsonrpc: '2.0', id, result: { id } });
          else if (one.do === 'error') receive({ jsonrpc: '2.0', id, error: { code: -id, message: '' } });
          else receive({ jsonrpc: '2.0', id, result: 7 });
        };

        for (const schedule of schedules) {
          if (clock.now() >= last) break;
          for (const one of schedule) if (clock.now() < last) perform(one);
          await Promise.resolve();
        }
        const open = expected.filter((outcome) => outcome === undefined).length;
        assert.equal(calls.pendingCount, open);
        await calls.close();
        const outcomes = await Promise.all(promises);
        assert.deepEqual(
          outcomes,
          expected.map((outcome) => outcome ?? 'ConnectionError'),
        );
        assert.equal(calls.pendingCount, 0);
        assert.equal(clock.timers, 0);
      },
    ),
    { numRuns: 150 },
  );
});
