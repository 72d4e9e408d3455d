// Servers that the program passes to the host directly, for example as a command. They start without approval.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { server, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { answerPending, createHost, type HostOptions, listPending } from '../src/index.ts';
import { nextOf } from './interrupted-kit.ts';
import { FIXTURE, fixture, folder, isAlive, started, until, yes } from './kit.ts';

const KEYS = { TENON_KEYS: 'a key that is long enough for all servers here' };
function direct(env: Record<string, string> = {}): HostOptions['servers'] {
  return [{ alias: 'server', launch: { kind: 'value', target: fixture('plain', env) } }];
}

test('a command that is given directly is not described as part of the program', async () => {
  const served = await serveHttp(server({ name: 'web' }), { port: 0 });
  try {
    await using host = await started({
      servers: [
        ...(direct() as []),
        { alias: 'web', launch: { kind: 'value', target: served.url } },
        { alias: 'own', launch: { kind: 'value', target: server({ name: 'own' }) } },
      ],
    });
    const direct_ = 'it was given to this program directly, not by a configuration';
    assert.deepEqual(Object.fromEntries(host.decisions().map(({ target, why }) => [target, why])), {
      server: direct_,
      web: direct_,
      own: 'it is part of this program',
    });
  } finally {
    await served.close();
  }
});

test('a permanent approval of a tool does not hold for another command that is given directly', async () => {
  const state = await folder();
  let asked = 0;
  for (const name of ['first', 'first', 'second']) {
    await using host = await started({
      state,
      servers: direct({ NAME: name }),
      approve: () => {
        asked++;
        return { allow: true, scope: 'always' };
      },
    });
    await host.call('server__greet', { name: 'Ada' });
  }
  assert.equal(asked, 2);
});

test('an interrupted call is not resumed with another command that is given directly', async () => {
  const state = await folder();
  const first = await started({ state, servers: direct({ ...KEYS, NAME: 'first' }), approve: yes });
  void first.call('server__confirm', { what: 'a secret' });
  await until(() => first.pending().some(({ kind }) => kind === 'question'));
  await first.close();
  const [item] = await listPending(state);
  await answerPending(state, item!.id, { allow: true, content: { sure: true } });
  await using second = await createHost({ state, servers: direct({ ...KEYS, NAME: 'second' }), approve: yes });
  const end = nextOf(second, 'resumed', 'problem');
  await second.start();
  const event = await end;
  assert.ok(event.kind === 'problem', JSON.stringify(event));
  assert.match(event.message, /different program or address/);
});

test(
  '[F-79] a command that is given directly does not survive a killed host',
  { skip: process.platform === 'win32' ? 'Windows has no process groups' : false },
  async () => {
    const script = fileURLToPath(new URL('fixtures/killed.ts', import.meta.url));
    const child = spawn(process.execPath, [script, FIXTURE, 'direct'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [data] = (await once(child.stdout, 'data')) as [Buffer];
    const pids = JSON.parse(data.toString()) as number[];
    child.kill('SIGKILL');
    await until(() => !pids.some(isAlive), 'the end of both servers');
  },
);

test('all options of a command that is given directly are used', async () => {
  process.env['HOST_TEST_INHERITED'] = '1';
  const pids: number[] = [];
  const stderr: string[] = [];
  try {
    await using host = await started({
      servers: {
        one: {
          ...fixture(),
          inheritEnv: ['HOST_TEST_INHERITED'],
          stderr: (text) => void stderr.push(text),
          onStart: ({ pid }) => void pids.push(pid),
        },
      },
      approve: yes,
    });
    const names = JSON.stringify(await host.call('one__environment', {}));
    assert.match(names, /HOST_TEST_INHERITED/);
    assert.equal(pids.length, 1);
  } finally {
    delete process.env['HOST_TEST_INHERITED'];
  }
});

test('texts of a target that look like variables are not expanded', async () => {
  const app = server({ name: 'x', tools: { a: tool({}, () => '') } });
  await using host = await started({
    servers: { one: { ...fixture(), args: [FIXTURE, '${HOST_TEST_NONE}', '${HOME}'] }, app },
    approve: (item) => {
      assert.ok(item.kind === 'start' && 'args' in item.target);
      assert.deepEqual(item.target.args.slice(1), ['${HOST_TEST_NONE}', '${HOME}']);
      return { allow: true };
    },
  });
  assert.equal(host.servers()[0]!.state, 'ready', host.servers()[0]!.problem);
});
