import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex, PassThrough, Readable, Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { stopTime } from '../../../../../scripts/lib/test-time.ts';
import { turns, until } from '../../../../../scripts/lib/until.ts';
import { channelTransport } from '../../client/client-transport.ts';
import type { Channel, ChannelProblem } from '../../protocol/channel.ts';
import { ConnectionError } from '../../protocol/errors.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import { streamChannel } from './stream-channel.ts';

let sockets = 0;

/** Two ends of a Unix socket. */
async function socketPair(): Promise<[Socket, Socket]> {
  const path = join(tmpdir(), `tenon-${process.pid}-${sockets++}.sock`);
  const server = createServer().listen(path);
  await once(server, 'listening');
  const near = connect(path);
  const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [[Socket], unknown];
  server.close();
  rmSync(path, { force: true });
  return [near, far];
}

async function all(channel: Channel): Promise<(string | ChannelProblem)[]> {
  const items: (string | ChannelProblem)[] = [];
  for await (const item of channel.incoming) items.push(item);
  return items;
}

/** A stream that records each write and decides when the writer may continue. */
function slowWritable(highWaterMark: number) {
  const writes: string[] = [];
  let go: (() => void) | undefined;
  const stream = new Writable({
    highWaterMark,
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      writes.push(chunk);
      go = done;
    },
  });
  return { stream, writes, go: () => go?.() };
}

describe('a channel over streams', { concurrency: true }, () => {
  test('[STDIO-1] messages cross a Unix socket in both directions, in order', async () => {
    const [near, far] = await socketPair();
    const [a, b] = [streamChannel(near, near), streamChannel(far, far)];
    for (let i = 0; i < 1000; i++) await a.send(`{"n":${i},"text":"é€😀"}`);
    await b.send('"back"');
    const first = a.incoming[Symbol.asyncIterator]().next();
    assert.deepEqual(await first, { done: false, value: '"back"' });
    await a.close();
    assert.deepEqual(
      await all(b),
      Array.from({ length: 1000 }, (_, i) => `{"n":${i},"text":"é€😀"}`),
    );
    await b.close();
    await b.close();
    assert.ok(near.destroyed && far.destroyed);
  });

  test('a message that is split anywhere arrives whole, with any line ending', async () => {
    const bytes = Buffer.from('"é€😀"\r\n\n"b"\n"c"\n');
    for (let cut = 0; cut <= bytes.length; cut++) {
      const channel = streamChannel(Readable.from([bytes.subarray(0, cut), bytes.subarray(cut)]), new PassThrough());
      assert.deepEqual(await all(channel), ['"é€😀"', '"b"', '"c"']);
    }
  });

  test('[BASE-2] a line that is not UTF-8 is reported in its place, and the channel continues', async () => {
    const input = Readable.from([
      Buffer.from('"a"\n"\xff"\n"b"\n"\xe2', 'latin1'),
      Buffer.from('\x82"\n"c"\n', 'latin1'),
    ]);
    const lost = { problem: 'A line that is not valid UTF-8 was skipped' };
    assert.deepEqual(await all(streamChannel(input, new PassThrough())), ['"a"', lost, '"b"', lost, '"c"']);
  });

  test('a last line without a newline is not a message, as it may be incomplete; a client uses it if it is valid', async () => {
    const input = (): Readable => Readable.from([Buffer.from('"a"\n"b"')]);
    const problem = 'The last line has no newline, so it may be cut short: it was not read';
    assert.deepEqual(await all(streamChannel(input(), new PassThrough())), ['"a"', { problem, unfinished: '"b"' }]);
    const values: unknown[] = [];
    await new Promise<void>((resolve) =>
      channelTransport(streamChannel(input(), new PassThrough()), DEFAULT_LIMITS).start({
        value: (value) => void values.push(value),
        problem: (text) => void values.push({ problem: text }),
        failed() {},
        pauseTimeouts: () => () => {},
        end: () => resolve(),
      }),
    );
    assert.deepEqual(values, ['a', 'b']);
  });

  test('a line over the limit is reported in its place, and the channel continues', async () => {
    const input = Readable.from([Buffer.from(`"a"\n${'x'.repeat(500)}`), Buffer.from(`${'x'.repeat(500)}\n"b"\n`)]);
    const channel = streamChannel(input, new PassThrough(), { limits: { lineBytes: 100 } });
    assert.deepEqual(await all(channel), ['"a"', { problem: 'A line of more than 100 bytes was skipped' }, '"b"']);
  });

  test('messages of one tick are sent in one write', async () => {
    const { stream, writes } = slowWritable(1024);
    const channel = streamChannel(new PassThrough(), stream);
    for (let i = 0; i < 100; i++) assert.equal(channel.send(String(i % 10)), undefined);
    await turn();
    assert.deepEqual(writes, ['0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n'.repeat(10)]);
  });

  test('send returns a promise only if the peer is behind; it resolves when there is room', async () => {
    const { stream, writes, go } = slowWritable(16);
    const channel = streamChannel(new PassThrough(), stream);
    assert.equal(channel.send('x'.repeat(20)), undefined);
    await turn();
    let settled = false;
    const sent = channel.send('second');
    assert.ok(sent instanceof Promise);
    void sent.then(() => (settled = true));
    await turns();
    assert.equal(settled, false);
    assert.equal(writes.length, 1, 'nothing more is pushed into a full stream');
    go();
    await sent;
    assert.deepEqual(writes, [`${'x'.repeat(20)}\n`, 'second\n']);
  });

  test('nothing is written to a full stream, not even messages that were queued before', async () => {
    const { stream, writes } = slowWritable(16);
    const channel = streamChannel(new PassThrough(), stream);
    assert.equal(channel.send('small'), undefined);
    const large = 'x'.repeat(70_000);
    assert.ok(channel.send(large) instanceof Promise);
    assert.ok(channel.send('more') instanceof Promise);
    await turn();
    assert.deepEqual(writes, ['small\n']);
    assert.equal(stream.writableLength, `small\n${large}\n`.length);
  });

  test('long and short messages arrive as they were sent, also at a peer that is behind and at the end', async () => {
    const { stream, writes, go } = slowWritable(16);
    const channel = streamChannel(new PassThrough(), stream);
    const texts = ['long', 'short', 'short', 'long', 'long', 'short', 'long'].map((kind, index) =>
      kind.padEnd(kind === 'long' ? 70_000 : 10, String(index)),
    );
    const [first = '', ...rest] = texts;
    void channel.send(first);
    for (const text of rest) void channel.send(text);
    const closed = channel.close();
    while (stream.writableLength > 0) {
      go();
      await turn();
    }
    await closed;
    assert.equal(writes.join(''), `${texts.join('\n')}\n`);
  });

  test('a channel to a peer that never reads is closed before memory runs out', async () => {
    const { stream } = slowWritable(16);
    const channel = streamChannel(new PassThrough(), stream, { limits: { lineBytes: 100 } });
    const results = Array.from({ length: 200 }, () => channel.send('x'.repeat(50)));
    await turn();
    results.push(...Array.from({ length: 200 }, () => channel.send('x'.repeat(50))));
    await assert.rejects(Promise.resolve(results.at(-1)), /left more than 1600 bytes unread/);
    await assert.rejects(all(channel), ConnectionError);
    await channel.close();
  });

  test('reading stops while the consumer is behind, and nothing is lost', async () => {
    let produced = 0;
    const line = Buffer.from(`"${'x'.repeat(1021)}"\n`);
    const input = new Readable({
      read() {
        this.push(produced < 20_000 ? line : null);
        produced++;
      },
    });
    const channel = streamChannel(input, new PassThrough());
    const iterator = channel.incoming[Symbol.asyncIterator]();
    await iterator.next();
    await turns(1_000);
    assert.ok(produced < 1_000, `${produced} KiB were read ahead`);
    let count = 1;
    while ((await iterator.next()).done !== true) count++;
    assert.equal(count, 20_000);
  });

  test('a broken stream is one error: incoming throws it, sends reject with it, nothing more is written', async () => {
    let writes = 0;
    const stream = new Duplex({
      read() {},
      write(_chunk, _encoding, done) {
        writes++;
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    const channel = streamChannel(stream, stream);
    const thrown = assert.rejects(
      all(channel),
      (error) => error instanceof ConnectionError && /EPIPE/.test(error.message),
    );
    for (let i = 0; i < 50; i++) {
      channel.send('"x"');
      await turn();
    }
    await thrown;
    await assert.rejects(Promise.resolve(channel.send('"y"')), ConnectionError);
    assert.equal(writes, 1);
    await channel.close();
  });

  test('a reset by the peer breaks the channel', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const near = connect((server.address() as { port: number }).port, '127.0.0.1');
    const [far] = (await once(server, 'connection')) as [Socket];
    server.close();
    const channel = streamChannel(near, near);
    const thrown = assert.rejects(all(channel), /ECONNRESET/);
    channel.send('"unread"');
    await until(() => far.bytesRead > 0);
    far.resetAndDestroy();
    await thrown;
    await assert.rejects(Promise.resolve(channel.send('"y"')), ConnectionError);
  });

  test('streams that have already ended make an ended channel', async () => {
    const input = new PassThrough();
    input.destroy();
    const output = new PassThrough();
    output.destroy();
    await turns();
    const channel = streamChannel(input, output);
    assert.deepEqual(await all(channel), []);
    channel.send('"x"');
    await turn();
    await assert.rejects(Promise.resolve(channel.send('"y"')), ConnectionError);
    await channel.close();
  });

  test('close ends incoming, writes the queued messages, and rejects later ones', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const channel = streamChannel(input, output);
    const received = all(channel);
    channel.send('"last"');
    const closed = channel.close();
    await assert.rejects(Promise.resolve(channel.send('"late"')), /The channel is closed/);
    assert.deepEqual(await received, []);
    assert.equal(String(output.read()), '"last"\n');
    await closed;
    assert.ok(input.destroyed && output.destroyed);
  });

  test('leaving the loop early stops reading', async () => {
    const input = new PassThrough();
    input.write('"a"\n"b"\n');
    const channel = streamChannel(input, new PassThrough());
    for await (const item of channel.incoming) {
      assert.equal(item, '"a"');
      break;
    }
    assert.ok(input.isPaused());
    assert.deepEqual(await all(channel), []);
  });

  test('[STDIO-2] a message with a raw newline is refused', () => {
    const channel = streamChannel(new PassThrough(), new PassThrough());
    assert.throws(() => channel.send('{\n}'), TypeError);
  });

  test('parallel reads get different messages', async () => {
    const input = new PassThrough();
    const iterator = streamChannel(input, new PassThrough()).incoming[Symbol.asyncIterator]();
    const reads = [iterator.next(), iterator.next(), iterator.next()];
    input.end('1\n2\n');
    assert.deepEqual(
      (await Promise.all(reads)).map(({ value }) => value),
      ['1', '2', undefined],
    );
  });
});

test('data that the peer wrote before its reading end broke is still delivered', async (t) => {
  const time = stopTime(t);
  const input = new PassThrough();
  const output = new PassThrough();
  const channel = streamChannel(input, output);
  const received = all(channel);
  output.destroy(new Error('EPIPE'));
  await time.pass(50);
  input.end('"last words"\n');
  assert.deepEqual(await received, ['"last words"']);
});

test('close waits a second for a peer that does not read', async (t) => {
  const time = stopTime(t);
  const { stream } = slowWritable(1);
  const channel = streamChannel(new PassThrough(), stream);
  channel.send('"x"');
  await turn();
  const closing = channel.close();
  await time.pass(999);
  assert.equal(stream.destroyed, false);
  await time.pass(1);
  await closing;
  assert.ok(stream.destroyed);
});
