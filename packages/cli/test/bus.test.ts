// Two processes of `tenon run` that are nodes of one server.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'tenon/client';
import { startRedis } from '../../../scripts/lib/redis-server.ts';
import { failureIn, fixture, tenon } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-run-bus-'));
const redis = await startRedis();
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await redis.stop();
});

type Environment = Readonly<Record<string, string>>;

/** Serves over HTTP. Resolves with the URL, and the function that ends the process. */
async function serve(args: readonly string[], env: Environment) {
  let end: () => void = () => {};
  let run: ReturnType<typeof tenon> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    run = tenon(['run', fixture('growing.ts'), '--http', '0', ...args], {
      cwd: folder,
      env,
      onStderr(stderr, kill) {
        const [, served] = /at (http:\S+)/.exec(stderr) ?? [];
        end = () => kill('SIGTERM');
        if (served !== undefined) resolve(served);
      },
    });
    void run.then(({ stderr }) => reject(new Error(`It was not served: ${stderr}`)), reject);
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      end();
      const { stderr } = await run!;
      assert.doesNotMatch(stderr, /\[(?:warn|error)\]/);
    },
  };
}

const ways: readonly (readonly [string, readonly string[], Environment])[] = [
  ['--bus', ['--store', 'sqlite:./state.db', '--bus', `${redis.address}?prefix=bus`], {}],
  ['TENON_STORE alone', [], { TENON_STORE: `${redis.address}?prefix=store` }],
];

for (const [how, args, env] of ways)
  test(`a change of a list on one node reaches clients of the other one, with ${how}`, async () => {
    await using a = await serve(args, env);
    await using b = await serve(args, env);
    for (const revision of ['2026-07-28', '2025-11-25'] as const) {
      await using listening = await connect(a.url, { revision });
      await using calling = await connect(b.url, { revision });
      const watch = listening.watch({ list: 'tools' });
      await watch.ready;
      await calling.call('grow', {});
      for await (const change of watch) {
        assert.deepEqual(change, { list: 'tools', missed: false });
        break;
      }
    }
  });

test('an unusable bus is a failure of the command before anything is served', async () => {
  for (const [args, code, why] of [
    [['--http', '0', '--bus', 'sqlite:./state.db'], 'no_bus', /address of no bus/],
    [['--http', '0', '--bus', 'mqtt://user:SECRETPW@host'], 'no_bus', /address of no bus/],
    [['--bus', redis.address], 'usage', /--bus connects the nodes of a server over HTTP/],
  ] as const) {
    const run = await tenon(['run', fixture('growing.ts'), ...args], { cwd: folder });
    assert.deepEqual([run.code, failureIn(run)['code'], run.stdout], [2, code, '']);
    assert.match(String(failureIn(run)['message']), why);
    assert.doesNotMatch(run.stderr, /SECRETPW/);
  }
});
