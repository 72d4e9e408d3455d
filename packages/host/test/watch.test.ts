// Subscriptions to resources through a host.
import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { resource, server, tool } from 'tenon';
import { revisions } from 'tenon/client';
import { createHost, type HostOptions, type ResourceChange } from '../src/index.ts';
import { folder, PATIENT, until } from './kit.ts';

const rules: HostOptions['rules'] = [{ effect: 'allow', act: ['start', 'call', 'read'] }];
const STATUS = 'status://now';

function app() {
  return server({ name: 'x', resources: { [STATUS]: resource({ name: 'status' }, () => 'fine') } });
}

for (const revision of revisions)
  test(`changes of a watched resource are reported until the watch ends, on ${revision}`, async () => {
    const target = app();
    await using host = await createHost({
      servers: [{ alias: 'x', launch: { kind: 'value', target }, revision }],
      rules,
    });
    await host.start();
    const changes: ResourceChange[] = [];
    const others: ResourceChange[] = [];
    const stop = await host.watch('x', STATUS, (change) => {
      changes.push(change);
      throw new Error('it affects nobody else');
    });
    await host.watch('x', STATUS, (change) => others.push(change));
    target.changed(STATUS);
    await until(() => changes.length > 0 && others.length > 0);
    stop();
    target.changed(STATUS);
    await until(() => others.length > 1);
    assert.deepEqual(changes, [{ uri: STATUS, missed: false }]);
    assert.deepEqual(
      host.decisions().flatMap(({ act, target: uri, allow }) => (act === 'watch' ? [[uri, allow]] : [])),
      [
        [STATUS, true],
        [STATUS, true],
      ],
    );
  });

test('a watch continues after a restart of the server, and reports that changes may have been missed', async () => {
  const file = fileURLToPath(new URL('fixtures/status.ts', import.meta.url));
  const launch = { kind: 'stdio', command: process.execPath, args: [file], env: {} } as const;
  await using host = await createHost({ servers: [{ alias: 'x', launch, idleMs: 60_000 }], rules, limits: PATIENT });
  await host.start();
  const changes: ResourceChange[] = [];
  const stopped = new AbortController();
  await host.watch('x', STATUS, (change) => changes.push(change), { signal: stopped.signal });
  await host.restart('x');
  await until(() => changes.length > 0);
  void host.call('x__die', {});
  await until(() => changes.length > 1);
  await host.call('x__change', {});
  await until(() => changes.length > 2);
  assert.deepEqual(
    changes.map(({ uri, missed }) => [uri, missed]),
    [
      [STATUS, true],
      [STATUS, true],
      [STATUS, false],
    ],
  );
  stopped.abort();
  await host.restart('x');
  await host.call('x__change', {});
  assert.equal(changes.length, 3);
});

test('a watch is refused if a rule denies reading, if the server does not offer it, and if there is no server', async () => {
  const state = await folder();
  const silent = server({ name: 'y', tools: { act: tool({}, () => 'done') } });
  await using host = await createHost({
    servers: { x: app(), y: silent, z: { command: 'no-such-program-at-all' } },
    state,
    rules: [{ effect: 'deny', uri: 'status:*', because: 'it is private' }, ...rules],
  });
  await host.start();
  const watch = (name: string, uri: string) => host.watch(name, uri, () => {});
  await assert.rejects(watch('x', STATUS), { name: 'DeniedError', message: /it is private/ });
  await assert.rejects(watch('y', 'other://now'), { name: 'ProtocolError', message: /does not announce changes/ });
  await assert.rejects(watch('z', 'other://now'), { name: 'HostError', code: 'not-running' });
  await assert.rejects(watch('w', 'other://now'), { name: 'HostError', code: 'unknown-server' });
  await assert.rejects(
    host.watch('y', 'other://now', () => {}, { signal: AbortSignal.abort() }),
    { name: 'AbortError' },
  );
});
