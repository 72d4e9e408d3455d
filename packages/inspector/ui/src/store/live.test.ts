import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ServerView, StateView } from '../../../src/api/views.ts';
import { keepLists, lists } from './lists.ts';
import { applyEvent } from './live.ts';
import { model, progressKey, traceLength } from './model.ts';

const server: ServerView = {
  id: 'it',
  name: 'it',
  transport: 'stdio',
  target: 'node it.js',
  status: 'ready',
  doctor: [],
  lists: [{ kind: 'tools', count: 1, ms: 1, bytes: 1, tokens: 1 }],
  generation: 1,
  watched: [],
};

function stateOf(began: string, length = 10): StateView {
  return {
    by: 'test',
    trace: { file: 'a.mcptrace', began, length },
    servers: [server],
    inbox: [],
    script: '',
    findings: [],
    auth: [],
    readOnly: false,
  };
}

/** The answers of the web server to each request, in order. */
function answering(t: TestContext, answers: readonly (readonly string[])[]): void {
  let asked = 0;
  t.mock.method(globalThis, 'fetch', async () =>
    Response.json({ generation: 1, entries: answers[asked++]!.map((name) => JSON.stringify({ name })) }),
  );
}

function tools(): readonly string[] | undefined {
  return lists
    .get()
    .get('it')
    ?.byKind.get('tools')
    ?.map(({ id }) => id);
}

test('after a restart of the inspector, the tools of the previous server are gone', async (t) => {
  answering(t, [['old'], ['new']]);
  applyEvent({ type: 'state', state: stateOf('2026-01-01') });
  await keepLists([server]);
  assert.deepEqual(tools(), ['old']);
  applyEvent({ type: 'state', state: stateOf('2026-01-02') });
  assert.equal(tools(), undefined);
  await keepLists([server]);
  assert.deepEqual(tools(), ['new']);
});

test('lists requested before a restart of the inspector are ignored', async (t) => {
  answering(t, [['old'], ['new']]);
  applyEvent({ type: 'state', state: stateOf('2026-02-01') });
  const late = keepLists([server]);
  applyEvent({ type: 'state', state: stateOf('2026-02-02') });
  const newer = keepLists([server]);
  await newer;
  await late;
  assert.deepEqual(tools(), ['new']);
});

test('the lists are not loaded again when the same run sends its whole state again', async (t) => {
  answering(t, [['only']]);
  applyEvent({ type: 'state', state: stateOf('2026-03-01') });
  await keepLists([server]);
  applyEvent({ type: 'state', state: stateOf('2026-03-01', 20) });
  await keepLists([server]);
  assert.deepEqual([tools(), traceLength.get()], [['only'], 20]);
});

test('progress of a request of the previous run is not shown for one of this run', () => {
  applyEvent({ type: 'state', state: stateOf('2026-04-01') });
  applyEvent({ type: 'progress', server: 'it', key: 'a', progress: 1 });
  applyEvent({ type: 'state', state: stateOf('2026-04-01') });
  assert.equal(model.get().progress.get(progressKey('it', 'a'))?.progress, 1);
  applyEvent({ type: 'state', state: stateOf('2026-04-02') });
  assert.equal(model.get().progress.size, 0);
});
