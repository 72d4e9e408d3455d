// Streams that are lost, resumed and reopened, on the side of our client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, ConnectionError } from '../../src/entries/client.ts';
import {
  event,
  json,
  legacyServer,
  modernServer,
  result,
  said,
  type Seen,
  skippingClock,
  stream,
  until,
} from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
function isCall(seen: { message: any }): boolean {
  return seen.message?.method === 'tools/call';
}
function progress(n: number): object {
  return {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 0, progress: n },
  };
}

test('[SSE-13, SSE-14, SSE-16] [F-51] a server that closes the stream is polled after the delay it gave, from the last event', async () => {
  let call: Seen | undefined;
  const polls: Seen[] = [];
  const server = await legacyServer((seen, response) => {
    if (isCall(seen)) {
      call = seen;
      stream(response);
      response.end(event(undefined, { id: 'e1', retry: 150 }));
      return true;
    }
    if (seen.method !== 'GET' || seen.headers['last-event-id'] === undefined) return undefined;
    polls.push(seen);
    stream(response);
    if (polls.length < 3) response.end(event(progress(polls.length), { id: `p${polls.length}` }));
    else response.end(event(result(call!, said('polled')), { id: 'last' }));
    return true;
  });
  const waits: number[] = [];
  const clock = skippingClock(() => false, waits);
  await using client = await connect(server.url, { eras, clock });
  assert.equal(await client.call('echo'), 'polled');
  assert.deepEqual(
    polls.map(({ headers }) => headers['last-event-id']),
    ['e1', 'p1', 'p2'],
  );
  // The delay is used until the server gives another.
  assert.deepEqual(
    waits.filter((ms) => ms === 150),
    [150, 150, 150],
  );
  for (const { headers } of polls) assert.equal(headers['mcp-session-id'], 'session-1');
  assert.equal(server.posts('tools/call').length, 1);
});

test('[F-45, F-46] a stream that breaks after every event brings each once, and the result', async () => {
  let call: Seen | undefined;
  let next = 1;
  const most = 25;
  const server = await legacyServer((seen, response) => {
    if (isCall(seen)) call = seen;
    else if (seen.method !== 'GET' || seen.headers['last-event-id'] === undefined) return undefined;
    else assert.equal(seen.headers['last-event-id'], String(next - 1));
    stream(response);
    const token = call!.message.params._meta.progressToken;
    const one =
      next > most
        ? result(call!, said('whole'))
        : { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: next } };
    response.write(event(one, { id: String(next++), retry: 0 }), () => response.destroy());
    return true;
  });
  const seen: number[] = [];
  await using client = await connect(server.url, { eras, clock: skippingClock((ms) => ms <= 1_000) });
  assert.equal(await client.call('echo', {}, { onProgress: ({ progress: at }) => seen.push(at) }), 'whole');
  assert.deepEqual(
    seen,
    Array.from({ length: most }, (_, index) => index + 1),
  );
});

test('[F-49] a stream that cannot be resumed is an error that says so, and the session continues', async () => {
  const server = await legacyServer((seen, response) => {
    if (isCall(seen) && seen.message.params.name === 'echo') {
      stream(response);
      response.end(event(undefined, { id: 'e1', retry: 0 }));
      return true;
    }
    if (seen.method !== 'GET' || seen.headers['last-event-id'] === undefined) return undefined;
    json(response, { jsonrpc: '2.0', error: { code: -32600, message: 'Too old' } }, 400);
    return true;
  });
  await using client = await connect(server.url, { eras });
  await assert.rejects(client.call('echo'), /does not resume it \(status 400\)/);
  assert.equal(await client.call('other'), 'done');
  assert.equal(server.posts('initialize').length, 1);
});

test('a stream without new events is resumed at once, then after doubling pauses, and then fails', async () => {
  const server = await legacyServer((seen, response) => {
    const resumes = seen.method === 'GET' && seen.headers['last-event-id'] !== undefined;
    if (!isCall(seen) && !resumes) return undefined;
    stream(response);
    response.end(event(undefined, { id: 'e1' }));
    return true;
  });
  const waits: number[] = [];
  // The waits for the answer are far longer than any pause, which distinguishes them.
  const timeout = 10_000_000;
  const clock = skippingClock((ms) => ms <= 8_000, waits);
  await using client = await connect(server.url, { eras, clock, revision: '2025-11-25' });
  waits.length = 0;
  await assert.rejects(client.call('echo', {}, { timeout }), /could not be resumed/);
  assert.deepEqual(
    waits.filter((ms) => ms < timeout / 2),
    [0, 1_000, 2_000, 4_000, 8_000],
  );
  assert.equal(server.posts('tools/call').length, 1);
});

test('a stream without ids is lost with its connection; the call is not sent again', async () => {
  const server = await legacyServer((seen, response) => {
    if (!isCall(seen)) return undefined;
    stream(response);
    response.write(event(progress(1)), () => response.destroy());
    return true;
  });
  await using client = await connect(server.url, { eras });
  await assert.rejects(client.call('echo'), { name: 'ConnectionError', processed: 'unknown' });
  assert.equal(server.posts('tools/call').length, 1);
});

for (const revision of LEGACY) {
  test(`a server may close the stream with a retry delay any number of times: ${revision}`, async () => {
    let call: Seen | undefined;
    let polls = 0;
    const server = await legacyServer(
      (seen, response) => {
        if (isCall(seen)) {
          call = seen;
          stream(response);
          response.end(event(undefined, { id: 'e1', retry: 2_000 }));
          return true;
        }
        if (seen.method !== 'GET' || seen.headers['last-event-id'] === undefined) return undefined;
        stream(response);
        // It need not repeat the delay, nor send any event.
        if (++polls <= 20) response.end(':\n\n');
        else response.end(event(result(call!, said('polled')), { id: 'last' }));
        return true;
      },
      { revision },
    );
    await using client = await connect(server.url, { eras, clock: skippingClock((ms) => ms === 2_000, []) });
    assert.equal(await client.call('echo'), 'polled');
    assert.equal(polls, 21);
    assert.equal(server.posts('tools/call').length, 1);
  });
}

test('a stream that the server refuses to resume fails, even if the server gave a retry delay', async () => {
  let gets = 0;
  const server = await legacyServer((seen, response) => {
    if (isCall(seen)) {
      stream(response);
      response.end(event(undefined, { id: 'e1', retry: 3_000 }));
      return true;
    }
    if (seen.method !== 'GET' || seen.headers['last-event-id'] === undefined) return undefined;
    gets++;
    json(response, {}, 503);
    return true;
  });
  await using client = await connect(server.url, { eras, clock: skippingClock((ms) => ms === 3_000, []) });
  await assert.rejects(client.call('echo'), /could not be resumed/);
  assert.equal(gets, 6);
});

test("the session's stream is resumed where it was lost, and a server without one is not an error", async () => {
  const gets: Seen[] = [];
  const reports: string[] = [];
  const server = await legacyServer((seen, response) => {
    if (seen.method !== 'GET') return undefined;
    gets.push(seen);
    if (gets.length > 2) return undefined;
    stream(response);
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    response.end(event(changed, { id: `n${gets.length}`, retry: 1 }));
    return true;
  });
  await using client = await connect(server.url, {
    eras,
    log: ({ level, message }) => level !== 'debug' && reports.push(message),
  });
  await until(() => gets.length === 3);
  assert.deepEqual(
    gets.map(({ headers }) => headers['last-event-id']),
    [undefined, 'n1', 'n2'],
  );
  // 405: it does not try again. The delay that it was given is shorter than a call.
  for (let calls = 0; calls < 5; calls++) assert.equal(await client.call('echo'), 'done');
  assert.equal(gets.length, 3);
  assert.deepEqual(reports, []);
});

test('a lost subscription is opened again after growing pauses with jitter, and the watch reports that changes may have been missed', async () => {
  let listens = 0;
  const waits: number[] = [];
  const server = await modernServer((seen, response) => {
    if (seen.message?.method !== 'subscriptions/listen') return undefined;
    listens++;
    stream(response);
    const _meta = { 'io.modelcontextprotocol/subscriptionId': seen.message.id };
    response.write(
      event({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta, notifications: { toolsListChanged: true } },
      }),
      () => {
        if (listens < 4) response.destroy();
        else response.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } }));
      },
    );
    return true;
  });
  // Other waits of this size are for the response to the probe.
  const isPause = (ms: number): boolean => ms >= 500 && ms < 30_000 && ms !== 4_000 && ms !== 20_000;
  const clock = skippingClock(isPause, waits);
  await using client = await connect(server.url, { eras, clock, timeout: 60_000 } as never);
  const changes: boolean[] = [];
  const watch = client.watch({ list: 'tools' });
  await watch.ready;
  for await (const { missed } of watch) {
    changes.push(missed);
    if (!missed) break;
  }
  assert.equal(listens, 4);
  assert.deepEqual(changes.slice(-1), [false]);
  assert.ok(changes.slice(0, -1).every((missed) => missed) && changes.length >= 2, String(changes));
  const pauses = waits.filter(isPause).slice(0, 3);
  assert.ok(pauses.length === 3, String(waits));
  assert.ok(pauses[2]! > pauses[0]!, String(pauses));
});

/** Identifiers of events that no header can carry: control characters, and spaces that a header would lose. */
const UNSENDABLE = ['\u0001', 'a\u007fb', ' padded ', '\ttab'];

for (const send of ['node:http', 'fetch'] as const) {
  const options = { eras, fetch: send === 'fetch' ? globalThis.fetch : undefined };

  test(`a call whose event id is invalid in a header fails with the reason, and the session continues: ${send}`, async () => {
    for (const id of UNSENDABLE) {
      const server = await legacyServer((seen, response) => {
        if (!isCall(seen) || seen.message.params.name !== 'lost') return undefined;
        stream(response);
        response.end(event(undefined, { id, retry: 0 }));
        return true;
      });
      await using client = await connect(server.url, options);
      await assert.rejects(client.call('lost'), (error) => {
        assert.ok(error instanceof ConnectionError, String(error));
        assert.match(error.message, /event id .* invalid in HTTP/);
        assert.equal(error.processed, 'unknown');
        return true;
      });
      assert.equal(await client.call('echo'), 'done');
      assert.equal(server.posts('initialize').length, 1);
    }
  });

  test(`an event id that is not ASCII is sent as UTF-8 when a stream is resumed: ${send}`, async () => {
    let call: Seen | undefined;
    const asked: unknown[] = [];
    const server = await legacyServer((seen, response) => {
      if (isCall(seen)) {
        call = seen;
        stream(response);
        response.end(event(undefined, { id: 'é-日', retry: 0 }));
        return true;
      }
      if (seen.method !== 'GET' || seen.headers['last-event-id'] === undefined) return undefined;
      asked.push(Buffer.from(String(seen.headers['last-event-id']), 'latin1').toString('utf8'));
      stream(response);
      response.end(event(result(call!, said('resumed'))));
      return true;
    });
    await using client = await connect(server.url, options);
    assert.equal(await client.call('echo'), 'resumed');
    assert.deepEqual(asked, ['é-日']);
  });

  test(`a session stream whose event id is invalid in a header is opened again without it: ${send}`, async () => {
    const gets: Seen[] = [];
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    const server = await legacyServer((seen, response) => {
      if (seen.method !== 'GET') return undefined;
      gets.push(seen);
      stream(response);
      if (gets.length === 1) response.end(event(changed, { id: '\u0001', retry: 0 }));
      else response.write(event(changed));
      return true;
    });
    await using client = await connect(server.url, options);
    for await (const _ of client.watch({ list: 'tools' })) if (gets.length === 2) break;
    assert.equal(gets[1]!.headers['last-event-id'], undefined);
    assert.equal(await client.call('echo'), 'done');
  });
}
