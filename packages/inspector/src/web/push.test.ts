// A process of its own: it measures the memory of its process.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mock, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { until } from '../../../../scripts/lib/until.ts';
import type { PushEvent } from '../api/views.ts';
import { createFakeWorkbench, fakeServer } from './fixtures/fake-workbench.ts';
import { ask, type Opened, openStream, openWeb, pageHeaders } from './fixtures/web-client.ts';
import { Push } from './push.ts';

/** Collects the events of a stream as they arrive. */
function listen(answer: IncomingMessage): { readonly event: PushEvent }[] {
  const events: { readonly event: PushEvent }[] = [];
  let rest = '';
  answer.setEncoding('utf8').on('data', (text: string) => {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop()!;
    for (const frame of frames) if (frame.startsWith('data: ')) events.push({ event: JSON.parse(frame.slice(6)) });
  });
  answer.on('error', () => {});
  return events;
}

async function open({ web, cookie }: Opened) {
  const { answer, sending } = await openStream(web.port, '/api/events', { ...pageHeaders(web.port), cookie });
  return { answer, sending, events: listen(answer) };
}

async function withWeb(run: (opened: Opened) => Promise<void>): Promise<void> {
  const opened = await openWeb();
  try {
    await run(opened);
  } finally {
    await opened.end();
  }
}

/** The memory in use, in bytes, after garbage collection. */
function held(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const noteLine = { session: 's', kind: 'note', text: 'x' } as const;

test('a page gets the whole state first, and is counted while it is open', () =>
  withWeb(async (opened) => {
    const { events, sending, answer } = await open(opened);
    assert.equal(answer.headers['content-type'], 'text/event-stream; charset=utf-8');
    await until(() => events.length === 1);
    assert.equal(events[0]!.event.type, 'state');
    const second = await open(opened);
    assert.deepEqual(opened.fake.viewers, [1, 2]);
    sending.destroy();
    second.sending.destroy();
    await until(() => opened.fake.viewers.at(-1) === 0);
    assert.deepEqual(opened.fake.viewers, [1, 2, 1, 0]);
  }));

test('of many events at once, each page gets the newest of each kind', () =>
  withWeb(async (opened) => {
    const { events } = await open(opened);
    await until(() => events.length === 1);
    const { tell, store } = opened.fake;
    for (let i = 1; i <= 500; i++) {
      tell({ type: 'server', server: { ...fakeServer('a'), generation: i } });
      tell({ type: 'server', server: { ...fakeServer('b'), generation: i } });
      tell({ type: 'progress', server: 'a', key: 'k', progress: i });
      tell({ type: 'progress', server: 'a', key: 'l', progress: -i });
      tell({ type: 'inbox', items: [] });
      store.append(noteLine);
    }
    await until(() => events.length >= 7);
    // Any further event about these would have arrived before this one.
    tell({ type: 'server', server: fakeServer('c') });
    await until(() => events.some(({ event }) => event.type === 'server' && event.server.id === 'c'));
    const seen = events.slice(1, -1).map(({ event }) => event);
    assert.equal(seen.length, 6);
    assert.deepEqual(
      seen.map((event) =>
        event.type === 'server'
          ? [event.server.id, event.server.generation]
          : event.type === 'progress'
            ? [event.key, event.progress]
            : event.type === 'trace'
              ? ['trace', event.length]
              : [event.type],
      ),
      [['a', 500], ['b', 500], ['k', 500], ['l', -500], ['inbox'], ['trace', 500]],
    );
  }));

test('a whole state replaces earlier events, but not later ones', () =>
  withWeb(async (opened) => {
    const { events } = await open(opened);
    await until(() => events.length === 1);
    opened.fake.tell({ type: 'server', server: { ...fakeServer('a'), generation: 1 } });
    opened.fake.tell({ type: 'state', state: opened.fake.workbench.state() });
    opened.fake.tell({ type: 'server', server: { ...fakeServer('a'), generation: 3 } });
    await until(() => events.length >= 3);
    assert.deepEqual(
      events.slice(1).map(({ event }) => event.type),
      ['state', 'server'],
    );
  }));

test('a page that does not read costs no memory, and gets the current state when it reads again', (t) => {
  const time = stopTime(t);
  return withWeb(async (opened) => {
    const slow = await open(opened);
    await until(() => slow.events.length === 1);
    const quick = await open(opened);
    slow.answer.pause();
    slow.answer.socket.pause();
    const message = 'x'.repeat(200_000);
    const findings = [{ rule: 'r', severity: 'info', blame: 'unknown', message, evidence: [] }] as const;
    const before = held();
    for (let i = 0; i < 100; i++) {
      opened.fake.tell({ type: 'findings', findings: [{ ...findings[0], rule: `r${i}` }] });
      opened.fake.store.append(noteLine);
      await time.pass(50);
      await until(() => quick.events.filter(({ event }) => event.type === 'findings').length === i + 1);
    }
    quick.events.length = 0;
    const grown = held() - before;
    assert.ok(grown < 8 * 1024 * 1024, `${grown} bytes wait for it`);
    const place = slow.events.length;
    slow.answer.socket.resume();
    slow.answer.resume();
    // It gets the state some time after it has read the buffered data.
    await until(async () => {
      await time.pass(1);
      return slow.events.slice(place).some(({ event }) => event.type === 'state');
    });
    const missed = slow.events.filter(({ event }) => event.type === 'findings').length;
    assert.ok(missed < 60, `the slow page got ${missed} of 100`);
    const state = slow.events.findLast(({ event }) => event.type === 'state')!.event;
    assert.equal(state.type === 'state' && state.state.trace.length, opened.fake.store.index.length);
  });
});

test('a fifth page of the same browser is rejected until another is closed', () =>
  withWeb(async (opened) => {
    const pages = await Promise.all([1, 2, 3, 4].map(() => open(opened)));
    const headers = { ...pageHeaders(opened.web.port), cookie: opened.cookie };
    const fifth = await ask(opened.web.port, { path: '/api/events', headers });
    assert.equal(fifth.status, 429);
    assert.equal((JSON.parse(fifth.text) as { error: { code: string } }).error.code, 'too-many-pages');
    pages[0]!.sending.destroy();
    await until(() => opened.fake.viewers.at(-1) === 3);
    assert.equal((await open(opened)).answer.statusCode, 200);
  }));

/** A response with a buffer of a given size. */
function fakeResponse() {
  const written: string[] = [];
  const response = Object.assign(new EventEmitter(), {
    takes: true,
    destroyed: false,
    writeHead() {},
    write(text: string) {
      written.push(text);
      return response.takes;
    },
    end() {},
    destroy() {
      response.destroyed = true;
      response.emit('close');
    },
  });
  return { response, written };
}

test('10,000 lines a second become at most one message in 50 ms', async (t) => {
  const time = stopTime(t);
  const fake = createFakeWorkbench();
  const push = new Push(fake.workbench);
  const { response, written } = fakeResponse();
  push.add(response as unknown as ServerResponse, 's');
  for (let ms = 0; ms < 2_000; ms += 5) {
    for (let lines = 0; lines < 50; lines++) fake.store.append(noteLine);
    await time.pass(5);
  }
  await time.pass(50);
  // The first event is the state.
  const told = written.slice(1).map((text) => JSON.parse(text.slice('data: '.length)) as { length: number });
  assert.ok(told.length >= 39 && told.length <= 41, `${told.length} messages in 2 s`);
  assert.equal(told.at(-1)!.length, 20_000);
  push.close();
  fake.end();
});

test('a quiet stream is kept alive; one that reads nothing for a minute is closed', () => {
  let now = 0;
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  mock.method(performance, 'now', () => now);
  const fake = createFakeWorkbench();
  const push = new Push(fake.workbench);
  const [quick, stuck] = [fakeResponse(), fakeResponse()];
  stuck.response.takes = false;
  for (const { response } of [quick, stuck]) push.add(response as unknown as ServerResponse, 's');
  for (let i = 0; i < 4; i++) {
    now += 15_000;
    mock.timers.tick(15_000);
  }
  assert.deepEqual(quick.written.slice(1), Array(4).fill(': \n\n'));
  assert.equal(stuck.written.length, 1);
  assert.equal(stuck.response.destroyed, false);
  now += 15_000;
  mock.timers.tick(15_000);
  assert.equal(stuck.response.destroyed, true);
  assert.equal(quick.response.destroyed, false);
  assert.deepEqual(fake.viewers, [1, 2, 1]);
  push.close();
  mock.restoreAll();
  mock.timers.reset();
  fake.end();
});

test('a trace that cannot be watched is polled for its length', async () => {
  const fake = createFakeWorkbench();
  const { watch: _, ...trace } = fake.store;
  const push = new Push({ ...fake.workbench, trace: { ...trace, index: fake.store.index } });
  const { response, written } = fakeResponse();
  push.add(response as unknown as ServerResponse, 's');
  fake.store.append(noteLine);
  await until(() => written.at(-1) === 'data: {"type":"trace","length":1}\n\n');
  push.close();
  fake.end();
});
