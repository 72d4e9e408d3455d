// Bugs of the official TypeScript SDK that its users have reported, those that concern processes. Each test is named after the correct
// behaviour.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectionError, connect } from '../../src/entries/client.ts';
import { ProcessExitError } from '../../src/entries/node.ts';
import { fixture, tenonServer } from './official-client.ts';
import { connectTapped } from './tenon-client.ts';
import { until } from '../../../../scripts/lib/until.ts';

function proxy(serves: string, client: string) {
  return {
    command: process.execPath,
    // A dependency of the official client has its own sources under that condition.
    args: [...(client === 'tenon' ? ['--conditions=tenon-source'] : []), fixture('proxy.mjs'), serves, client],
  };
}

const REDIRECTED = ['console.log', 'console.info', 'console.debug', 'process.stdout.write', 'forged'] as const;

describe('a client inside a stdio server wrote its notes between the messages', () => {
  for (const [title, serves, client] of [
    ['our client in our server', 'tenon', 'tenon'],
    ['our client in an official server', 'v1', 'tenon'],
    // The official client still sends it; our server keeps it off the wire.
    ['an official client in our server', 'tenon', 'v2'],
  ] as const) {
    it(`writes nothing but messages: ${title}`, async () => {
      await using tapped = await connectTapped(proxy(serves, client));
      assert.equal(await tapped.client.call('look'), '[]');
      assert.deepEqual(tapped.complaints, []);
    });
  }

  it('redirects all other output of a tool to stderr, even fake messages', async () => {
    let stderr = '';
    const onStderr = (text: string): void => void (stderr += text);
    await using tapped = await connectTapped({ ...proxy('tenon', 'none'), stderr: onStderr });
    assert.equal(await tapped.client.call('shout'), 'shouted');
    assert.equal(await tapped.client.call('shout'), 'shouted');
    assert.deepEqual(tapped.complaints, []);
    const counts = (): number[] => REDIRECTED.map((written) => stderr.split(written).length - 1);
    // It arrives on another pipe than the answer.
    await until(
      () => counts().every((count) => count >= 2),
      () => `each twice in ${stderr}`,
    );
    assert.deepEqual(
      counts(),
      REDIRECTED.map(() => 2),
    );
  });
});

describe('a watch died silently when its connection did', () => {
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    it(`reports that changes may have been missed, and continues, on ${revision}`, async () => {
      await using client = await connect(proxy('tenon', 'none'), { revision });
      const watch = client.watch({ list: 'tools' });
      await watch.ready;
      await assert.rejects(client.call('die'), (error: unknown) => {
        assert.ok(error instanceof ConnectionError);
        assert.ok(error.cause instanceof ProcessExitError || error instanceof ProcessExitError);
        assert.match(String(error), /3[\s\S]*dying/);
        return true;
      });
      const { value } = await watch[Symbol.asyncIterator]().next();
      assert.deepEqual(value, { list: 'tools', missed: true });
      assert.equal(await client.call('shout'), 'shouted');
    });
  }
});

describe(
  'closing left the server running if another process had started it',
  { skip: process.platform === 'win32' },
  () => {
    it('ends all processes that the command started', async () => {
      let stderr = '';
      const script = 'exec 3<&0; "$@" <&3 & echo "pid $!" >&2; wait; sleep 30';
      const client = await connect({
        command: 'sh',
        args: ['-c', script, 'sh', ...tenonServer],
        stderr: (text) => void (stderr += text),
        graceMs: 300,
        killMs: 1_000,
      });
      const pid = Number(/pid (\d+)/.exec(stderr)?.[1]);
      assert.equal(isRunning(pid), true);
      await client.close();
      // The process is killed; the system still has to remove it.
      await until(() => !isRunning(pid), 'the process has ended');
    });
  },
);

/** Is there a process with this pid? */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
