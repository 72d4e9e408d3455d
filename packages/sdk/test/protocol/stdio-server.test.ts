// A server in its own process, and a client that only writes bytes into its pipes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';
import { PATIENCE_MS } from '../../../../scripts/lib/until.ts';
import { createOracle } from '../oracle/oracle.ts';
import { program } from '../suite/program.ts';
import type { StdioOptions } from '../../src/entries/node.ts';
import type { Fixture } from '../suite/fixture.ts';
import { assertWellFormed, claimed, KEY, type Message, until } from './dialog.ts';
import { stdioApp } from './stdio-app.ts';

const fixture: Fixture = { make: stdioApp, module: new URL('stdio-app.ts', import.meta.url), name: 'stdioApp' };

/** Starts the server. All its output to stdout has to be messages, one per line. */
function start(t: TestContext, options: StdioOptions = {}) {
  const { command, args } = program(fixture, options);
  const child = spawn(command, args ?? [], { stdio: 'pipe' });
  const oracle = createOracle('auto', { judge: 'server-to-client' });
  const received: Message[] = [];
  const untaken: Message[] = [];
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  let stderr = '';
  let rest = '';
  let look = (): void => {};
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      assertWellFormed(message);
      oracle.observe('server-to-client', line);
      received.push(message);
      untaken.push(message);
    }
    look();
  });
  const write = (bytes: string | Uint8Array): void => void child.stdin.write(bytes);
  /** The text of a message to write. */
  const line = (message: object, end = '\n'): string => {
    oracle.observe('client-to-server', message);
    return JSON.stringify(message) + end;
  };
  const send = (message: object): void => write(line(message));
  const next = (fits: (message: Message) => boolean = () => true): Promise<Message> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () =>
          reject(
            new Error(
              `It did not come. There was ${JSON.stringify(received).slice(0, 2_000)}, and on stderr ${stderr}`,
            ),
          ),
        PATIENCE_MS,
      );
      look = () => {
        const at = untaken.findIndex(fits);
        if (at === -1) return;
        look = () => {};
        clearTimeout(timer);
        resolve(untaken.splice(at, 1)[0]!);
      };
      look();
    });
  t.after(async () => {
    child.stdin.destroy();
    child.kill('SIGKILL');
    await exited;
    assert.equal(rest, '', 'the last line is whole');
    assert.deepEqual(oracle.problems, []);
  });
  let count = 0;
  const it = {
    child,
    received,
    exited,
    write,
    line,
    send,
    next,
    stderr: () => stderr,
    leftover: () => untaken.splice(0),
    request(method: string, params: object = claimed(), id: string | number = `ask-${++count}`): Promise<Message> {
      send({ jsonrpc: '2.0', id, method, params });
      return next((message) => message.id === id && message.method === undefined);
    },
    call: (name: string, args: object = {}, id?: string | number) =>
      it.request('tools/call', claimed({ name, arguments: args }), id),
  };
  return it;
}

function text(message: Message): unknown {
  return message.result?.['content'][0].text;
}
function callOf(id: number, name: string, args: object = {}): object {
  return {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: claimed({ name, arguments: args }),
  };
}

/** The grace period never ends, so the process ends only when everything that it awaits has ended. */
const NEVER: StdioOptions = { graceMs: 1_000_000 };

describe('a server on stdio', { concurrency: 2 }, () => {
  test('[STDIO-17] requests before the end of stdin are answered, then the process exits, with a timer still set', async (t) => {
    const it = start(t, NEVER);
    it.child.stdin.end(it.line(callOf(1, 'wait', { ms: 300 })) + it.line(callOf(2, 'echo', { last: 'line' })));
    const [code] = await it.exited;
    assert.equal(code, 0);
    assert.deepEqual(it.received.map(({ id }) => id).toSorted(), [1, 2]);
  });

  test('a last line without a newline is not run, as it may be incomplete: the client gets an error and it is logged', async (t) => {
    const it = start(t, NEVER);
    it.child.stdin.end(it.line(callOf(1, 'echo', { last: 'whole' })) + it.line(callOf(2, 'echo', { last: 'cut' }), ''));
    const [code] = await it.exited;
    assert.equal(code, 0);
    assert.deepEqual(
      it.received.map(({ id, error }) => [id, error?.code]),
      [
        [1, undefined],
        [undefined, -32700],
      ],
    );
    assert.match(it.stderr(), /message-lost: The last line has no newline, so it may be cut short/);
  });

  test('[STDIO-17] a call that does not end delays the exit no longer than the grace period', async (t) => {
    const it = start(t);
    await it.request('server/discover');
    it.child.stdin.end(it.line(callOf(1, 'wait', { ms: 1_000_000 })));
    assert.equal((await it.exited)[0], 0);
  });

  test('a handler that is aborted when the process ends may clean up before', async (t) => {
    const ends: readonly ((it: ReturnType<typeof start>) => void)[] = [
      (it) => it.child.stdin.end(),
      (it) => it.child.kill('SIGTERM'),
    ];
    for (const end of ends) {
      const it = start(t, { graceMs: 100 });
      it.send(callOf(1, 'cleanUp'));
      await it.request('server/discover');
      end(it);
      await it.exited;
      assert.match(it.stderr(), /cleaned up/);
    }
  });

  test('a question that is open at the end of stdin does not delay the exit', async (t) => {
    const it = start(t, NEVER);
    await it.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'x', version: '1' },
    });
    it.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    it.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } });
    await it.next(({ method }) => method === 'elicitation/create');
    it.child.stdin.end();
    assert.equal((await it.exited)[0], 0);
  });

  test('[STDIO-13] [STDIO-12] [STDIO-11] after a cancellation nothing more is sent for the call', async (t) => {
    const it = start(t);
    it.send({
      jsonrpc: '2.0',
      id: 'call',
      method: 'tools/call',
      params: claimed(
        { name: 'stubborn', arguments: { after: 'cancel' } },
        { progressToken: 'p', [KEY.level]: 'debug' },
      ),
    });
    assert.equal((await it.next()).method, 'notifications/progress');
    it.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call', reason: 'enough' } });
    await until(() => it.stderr().includes('stubborn is done'));
    assert.equal(text(await it.call('wait', { ms: 1 })), 'waited');
    assert.deepEqual(it.leftover(), []);
    await until(() => /cancelled: The client cancelled call: enough/.test(it.stderr()));
  });

  test('[BASE-2] [STDIO-1] junk, CRLF, empty lines and characters split anywhere: each line is handled separately', async (t) => {
    const it = start(t);
    await it.request('server/discover');
    for (const junk of ['not json', '{"jsonrpc":"2.0","id":1', '\u0000\u0001\u0002', 'GET / HTTP/1.1', '}{']) {
      it.write(`${junk}\n`);
      const refusal = await it.next();
      assert.deepEqual([refusal.error?.code, 'id' in refusal], [-32700, false], junk);
    }
    for (const bad of [
      '\xff\xfe\xfd',
      '{"jsonrpc":"2.0","id":"a\xff","method":"ping"}',
      it.line(callOf(0, 'echo', { v: '\xe2\x82' })).trim(),
    ]) {
      it.write(Buffer.from(`${bad}\n`, 'latin1'));
      const refusal = await it.next();
      assert.deepEqual([refusal.error?.code, 'id' in refusal], [-32700, false], bad);
      assert.equal(refusal.error?.message, 'A line that is not valid UTF-8 was skipped');
    }
    it.write('\r\n\n\r\n');
    it.write(it.line(callOf(1, 'echo', { crlf: true }), '\r\n'));
    assert.deepEqual((await it.next()).result?.['structuredContent'], { crlf: true });
    const value = { text: 'a ü 漢 🎉 é \u2028 \u2029 \ud83d\ude80' };
    const bytes = Buffer.from(it.line(callOf(2, 'echo', value)));
    for (const byte of bytes) {
      it.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual((await it.next()).result?.['structuredContent'], value);
    it.write(it.line(callOf(3, 'echo')) + it.line(callOf(4, 'echo')) + 'x\n' + it.line(callOf(5, 'echo')));
    assert.deepEqual(
      [await it.next(), await it.next(), await it.next(), await it.next()].map(({ id }) => id).toSorted(),
      [3, 4, 5, undefined],
    );
    assert.deepEqual(it.leftover(), []);
  });

  test('[STDIO-3] output of handlers does not mix with the messages', async (t) => {
    const it = start(t);
    for (let at = 0; at < 3; at++) assert.equal(text(await it.call('print')), 'printed');
    assert.deepEqual((await it.call('echo', { after: true })).result?.['structuredContent'], { after: true });
    assert.equal(it.received.length, 4);
    for (const printed of [
      'printed by a handler',
      '{"jsonrpc":"2.0","id":1,"result":{}}',
      'written without a newline',
      '(index)',
    ]) {
      await until(() => it.stderr().split(printed).length - 1 === 3);
    }
  });

  test('[STDIO-9] [BASE-78] [BASE-80] in the modern era only responses and notifications are sent, and received responses are ignored', async (t) => {
    const it = start(t);
    const asking = await it.request('tools/call', claimed({ name: 'ask' }, {}, { elicitation: {} }));
    assert.equal(asking.result?.['resultType'], 'input_required');
    for (const id of [1, 'x']) it.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { ok: true } } });
    it.send({ jsonrpc: '2.0', id: 2, error: { code: -1, message: 'no' } });
    const again = claimed(
      {
        name: 'ask',
        requestState: asking.result['requestState'],
        inputResponses: { ok: { action: 'accept', content: { ok: true } } },
      },
      {},
      { elicitation: {} },
    );
    assert.equal(text(await it.request('tools/call', again)), '{"ok":true}');
    it.send({
      jsonrpc: '2.0',
      id: 'sub',
      method: 'subscriptions/listen',
      params: claimed({ notifications: { toolsListChanged: true } }),
    });
    await it.next(({ method }) => method === 'notifications/subscriptions/acknowledged');
    await it.request('tools/call', claimed({ name: 'stubborn' }, { progressToken: 1, [KEY.level]: 'debug' }));
    assert.deepEqual(
      it.received.filter(({ id, method }) => id !== undefined && method !== undefined),
      [],
      'no requests',
    );
    it.child.stdin.end();
    await it.exited;
    const last = it.received.at(-1)!;
    assert.deepEqual(
      [last.id, last.result?.['resultType']],
      ['sub', 'complete'],
      'an open subscription is answered at the end',
    );
  });

  test('[A-36] 30 MB without a newline are one lost line: reported, not stored, and the next line is read', async (t) => {
    const it = start(t);
    await it.request('server/discover');
    const before = residentBytes(it.child.pid!);
    const chunk = 'a'.repeat(1024 * 1024);
    for (let at = 0; at < 30; at++) if (!it.child.stdin.write(chunk)) await once(it.child.stdin, 'drain');
    const refusal = await it.next();
    assert.deepEqual(
      [refusal.error?.code, refusal.error?.message],
      [-32700, 'A line of more than 10485760 bytes was skipped'],
    );
    it.write('\n');
    assert.deepEqual((await it.call('echo', { alive: true })).result?.['structuredContent'], { alive: true });
    assert.deepEqual(it.leftover(), []);
    const grown = residentBytes(it.child.pid!) - before;
    assert.ok(grown < 64 * 1024 * 1024, `it holds ${Math.round(grown / 1024 / 1024)} MiB more`);
  });

  test('[A-33] whatever a handler throws, it is logged and the server keeps working', async (t) => {
    const it = start(t);
    for (let at = 0; at < 7; at++) {
      const answer = await it.call('throws', { at });
      const said = String(text(answer) ?? answer.error?.message);
      assert.doesNotMatch(said, /SECRETPW/);
      const id = /under error ([0-9a-f]{8})/.exec(said)?.[1];
      assert.ok(id !== undefined, said);
      await until(() => it.stderr().includes(id));
    }
    assert.ok(it.stderr().length < 200_000, 'the log is not filled by one error');
    assert.ok((await it.request('server/discover')).result);
  });

  test('a client that requests a lot of data and reads late gets everything, in whole lines', async (t) => {
    const it = start(t);
    await it.request('server/discover');
    it.child.stdout.pause();
    for (let id = 0; id < 40; id++) it.write(it.line(callOf(id, 'big', { size: 500_000 })));
    await until(() => it.child.stdin.writableLength === 0);
    it.child.stdout.resume();
    const ids = new Set<unknown>();
    for (let at = 0; at < 40; at++)
      ids.add((await it.next(({ result }) => text({ result } as Message) !== undefined)).id);
    assert.equal(ids.size, 40);
  });

  test('a client that vanishes ends the process', async (t) => {
    const it = start(t);
    it.send(callOf(1, 'wait', { ms: 100 }));
    it.child.stdout.destroy();
    it.child.stdin.destroy();
    await it.exited;
  });
});

/** The resident memory of a process; 0 if the system does not report it. */
function residentBytes(pid: number): number {
  try {
    return 1024 * Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
