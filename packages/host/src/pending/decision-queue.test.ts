import assert from 'node:assert/strict';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SuspendedCall } from 'tenon/client';
import { turns, until } from '../../../../scripts/lib/until.ts';
import { createFolderStore, createMemoryStore, type StateStore } from '../state/state-store.ts';
import { DecisionQueue, type DecisionQueueOptions } from './decision-queue.ts';
import type { Decision, QuestionItem, ReadItem } from './item.ts';
import { DecisionError } from './decision-error.ts';
import { answerPending, listPending } from './state-folder.ts';

function read(id: string, uri = 'x:y'): ReadItem {
  return {
    kind: 'read',
    id,
    at: Date.now(),
    server: 'a',
    warnings: [],
    uri,
    by: 'user',
  };
}
function question(id: string): QuestionItem {
  return {
    kind: 'question',
    id,
    at: Date.now(),
    server: 'a',
    warnings: [],
    message: 'Sure?',
    tool: undefined,
    name: 'sure',
    form: {
      schema: {
        type: 'object',
        properties: { sure: { type: 'boolean' }, size: { type: 'integer' } },
        required: ['sure'],
      },
      defaults: { size: 3 },
    },
    page: undefined,
  };
}
const suspended: SuspendedCall = { method: 'tools/call', params: { name: 'x' }, inputRequests: {}, state: 's' };

function queueOn(store: StateStore, more: Partial<DecisionQueueOptions> = {}): DecisionQueue {
  return new DecisionQueue({
    store,
    handlerOf: () => undefined,
    onChange: () => {},
    reportProblem: () => {},
    ...more,
  });
}

/** Answers another item from outside, after which all earlier answers were processed. */
async function answerAnother(queue: DecisionQueue, folder: string): Promise<void> {
  const decision = queue.decide(read('beside', 'x:beside'), {});
  await until(() => queue.items().some(({ id }) => id === 'beside'));
  assert.equal(await answerPending(folder, 'beside', { allow: true }), true);
  await decision;
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  return work(await mkdtemp(join(tmpdir(), 'desk-')));
}

async function idsIn(folder: string): Promise<string[]> {
  return (await listPending(folder)).map(({ id }) => id);
}

/** Leaves the state of a killed host: everything except its heartbeat. */
async function killed(folder: string, begin: (queue: DecisionQueue) => void): Promise<void> {
  const queue = queueOn(createFolderStore(folder));
  const count = (await listPending(folder)).length;
  begin(queue);
  await until(async () => (await listPending(folder)).length > count);
  await queue.close();
}

test('a decision handler in this program decides', async () => {
  const queue = queueOn(createMemoryStore(), { handlerOf: () => (item) => ({ allow: item.server === 'a' }) });
  assert.deepEqual(await queue.decide(read('1'), {}), { allow: true });
  assert.deepEqual(queue.items(), []);
});

test('without a decision handler an item waits, and can be answered once by its id', async () => {
  const queue = queueOn(createMemoryStore());
  const decision = queue.decide(read('1'), {});
  await until(() => queue.items().length > 0);
  assert.deepEqual(
    queue.items().map(({ id }) => id),
    ['1'],
  );
  assert.equal(queue.answer('2', { allow: true }), false);
  assert.equal(queue.answer('1', { allow: false, reason: 'No' }), true);
  assert.equal(queue.answer('1', { allow: true }), false);
  assert.deepEqual(queue.items(), []);
  assert.deepEqual(await decision, { allow: false, reason: 'No' });
});

test('another program can list and answer the items in the folder', () =>
  inFolder(async (folder) => {
    const queue = queueOn(createFolderStore(folder));
    const item = read('one');
    const decision = queue.decide(item, {});
    await until(async () => (await listPending(folder)).length > 0);
    assert.deepEqual(await listPending(folder), [item]);
    assert.equal(await answerPending(folder, 'two', { allow: true }), false);
    assert.equal(await answerPending(folder, '../one', { allow: true }), false);
    assert.equal(await answerPending(folder, 'one', { allow: true, scope: 'always' }), true);
    assert.deepEqual(await decision, { allow: true, scope: 'always' });
    assert.deepEqual(await readdir(join(folder, 'answers')), []);
    assert.deepEqual(await listPending(folder), []);
    await queue.close();
  }));

test('a cancelled item is removed; items that wait when the host closes stay, resumable or not', () =>
  inFolder(async (folder) => {
    const queue = queueOn(createFolderStore(folder));
    const gone = new AbortController();
    const first = queue.decide(question('gone'), { signal: gone.signal, call: suspended });
    await until(() => queue.items().length > 0);
    gone.abort(new Error('Cancelled'));
    await assert.rejects(first, /Cancelled/);
    assert.deepEqual(await listPending(folder), []);

    const closing = new AbortController();
    const second = queue.decide(question('stays'), { signal: closing.signal, call: suspended });
    const third = queue.decide(read('stays-too'), { signal: closing.signal });
    await until(() => queue.items().length > 1);
    void queue.close();
    closing.abort(new Error('Closed'));
    await assert.rejects(second, /Closed/);
    await assert.rejects(third, /Closed/);
    assert.deepEqual((await idsIn(folder)).sort(), ['stays', 'stays-too']);

    const next = queueOn(createFolderStore(folder));
    const [interruptedCall, ...others] = await next.takeInterrupted(() => true);
    assert.deepEqual([interruptedCall?.item.id, interruptedCall?.call, others], ['stays', suspended, []]);
    assert.deepEqual(await next.takeInterrupted(() => true), []);
    await interruptedCall!.finish();
    assert.deepEqual(await idsIn(folder), ['stays-too']);
    await next.close();
  }));

test('an approval that waited when its host was killed has the same id in the next host, and an answer given meanwhile counts', () =>
  inFolder(async (folder) => {
    await killed(folder, (queue) => void queue.decide(read('before'), { exactly: 'v1' }));
    assert.deepEqual(await idsIn(folder), ['before']);
    assert.equal(await answerPending(folder, 'before', { allow: true, reason: 'Later' }), true);
    const next = queueOn(createFolderStore(folder));
    assert.deepEqual(await next.takeInterrupted(() => true), []);
    assert.deepEqual(await next.decide(read('after'), { exactly: 'v1' }), { allow: true, reason: 'Later' });
    assert.deepEqual(await idsIn(folder), []);
    await next.close();
  }));

test('a stored answer is not used for another item, nor for an item that has changed', () =>
  inFolder(async (folder) => {
    await killed(folder, (queue) => void queue.decide(read('before'), { exactly: 'v1' }));
    await answerPending(folder, 'before', { allow: true });
    const next = queueOn(createFolderStore(folder));
    const others = [next.decide(read('after'), { exactly: 'v2' }), next.decide(read('else', 'x:z'), { exactly: 'v1' })];
    await until(() => next.items().length === 2);
    await answerAnother(next, folder);
    assert.deepEqual(
      next
        .items()
        .map(({ id }) => id)
        .sort(),
      ['after', 'else'],
    );
    for (const { id } of next.items()) next.answer(id, { allow: false });
    await Promise.all(others);
    await next.close();
  }));

test('an answer that was stored before the item is not used', () =>
  inFolder(async (folder) => {
    const store = createFolderStore(folder);
    await store.put('answers/early', { allow: true, content: { sure: true } });
    const queue = queueOn(store);
    const decision = queue.decide(question('early'), { call: suspended });
    await until(() => queue.items().length > 0);
    await answerAnother(queue, folder);
    assert.equal(queue.answer('early', { allow: false }), true);
    assert.deepEqual(await decision, { allow: false });
    await queue.close();
  }));

test('two equal concurrent questions have separate ids and answers', () =>
  inFolder(async (folder) => {
    const queue = queueOn(createFolderStore(folder));
    const both = [
      queue.decide(question('same'), { call: suspended }),
      queue.decide(question('same'), { call: suspended }),
    ];
    await until(() => queue.items().length === 2);
    const ids = queue.items().map(({ id }) => id);
    assert.equal(new Set(ids).size, 2);
    assert.deepEqual((await idsIn(folder)).sort(), ids.sort());
    assert.equal(queue.answer(ids[0]!, { allow: false, reason: 'one' }), true);
    assert.equal(queue.answer(ids[1]!, { allow: false, reason: 'two' }), true);
    assert.deepEqual((await Promise.all(both)).map(({ reason }) => reason).sort(), ['one', 'two']);
    await queue.close();
  }));

test('a host does not take over items of another running host', () =>
  inFolder(async (folder) => {
    const first = queueOn(createFolderStore(folder));
    const second = queueOn(createFolderStore(folder));
    const asked = first.decide(question('q'), { call: suspended });
    const approval = first.decide(read('r'), {});
    await until(() => first.items().length === 2);
    assert.deepEqual(await second.takeInterrupted(() => true), []);
    const own = second.decide(read('r2'), {});
    await until(() => second.items().length > 0);
    assert.deepEqual(
      second.items().map(({ id }) => id),
      ['r2'],
    );
    assert.deepEqual((await idsIn(folder)).sort(), ['q', 'r', 'r2']);
    assert.ok(first.answer('q', { allow: false }) && first.answer('r', { allow: true }));
    assert.ok(second.answer('r2', { allow: false }));
    assert.deepEqual(
      (await Promise.all([asked, approval, own])).map(({ allow }) => allow),
      [false, true, false],
    );
    await Promise.all([first.close(), second.close()]);
  }));

test('of two hosts that start together, only one resumes an interrupted call', () =>
  inFolder(async (folder) => {
    await killed(folder, (queue) => void queue.decide(question('q'), { call: suspended }));
    const desks = [
      queueOn(createFolderStore(folder)),
      queueOn(createFolderStore(folder)),
      queueOn(createFolderStore(folder)),
    ];
    const left = await Promise.all(desks.map((queue) => queue.takeInterrupted(() => true)));
    assert.deepEqual(left.map((calls) => calls.length).sort(), [0, 0, 1]);
    await Promise.all(desks.map((queue) => queue.close()));
  }));

test('an interrupted call is resumed even if the process id of its host is in use again', () =>
  inFolder(async (folder) => {
    const store = createFolderStore(folder);
    const kept = { item: question('q'), call: suspended };
    await store.put('pending/q', { ...kept, owner: 'container' });
    // The process id of this running process, as the id of a host in a container.
    await store.put('owners/container', { at: Date.now() - 60_000, pid: process.pid, where: 'a container' });
    const queue = queueOn(store);
    assert.equal((await queue.takeInterrupted(() => true)).length, 1);
    await queue.close();
  }));

test('a host on another machine keeps its items while it sends heartbeats', () =>
  inFolder(async (folder) => {
    const store = createFolderStore(folder);
    await store.put('pending/q', { item: question('q'), call: suspended, owner: 'far' });
    await store.put('owners/far', { at: Date.now(), pid: 2 ** 22 + 1, where: 'another machine' });
    const queue = queueOn(store);
    assert.deepEqual(await queue.takeInterrupted(() => true), []);
    await queue.close();
  }));

test('an item that another host took over is denied here', () =>
  inFolder(async (folder) => {
    const store = createFolderStore(folder);
    const queue = queueOn(store);
    const decision = queue.decide(read('one'), {});
    await until(() => queue.items().length > 0);
    const kept = (await store.get('pending/one')) as object;
    await store.put('pending/one', { ...kept, owner: 'another' });
    queue.answer('one', { allow: true });
    const { allow, automatic } = await decision;
    assert.deepEqual([allow, automatic], [false, true]);
    assert.notEqual(await store.get('pending/one'), undefined);
    await queue.close();
  }));

test('a cancelled decision is in progress until its item is removed', async () => {
  const store = createMemoryStore();
  const gone = new AbortController();
  let remove: (() => void) | undefined;
  const queue = queueOn({
    ...store,
    remove: async (name) => {
      if (gone.signal.aborted && name === 'pending/gone') await new Promise<void>((resolve) => (remove = resolve));
      await store.remove(name);
    },
  });
  const events: string[] = [];
  const decision = queue.decide(question('gone'), { signal: gone.signal }).catch(() => events.push('cancelled'));
  await until(() => queue.items().length > 0);
  gone.abort(new Error('Cancelled'));
  await until(() => remove !== undefined);
  const settled = queue.settled().then(() => events.push('settled'));
  await turns(5);
  assert.deepEqual(events, []);
  remove!();
  await Promise.all([decision, settled]);
  assert.deepEqual(events, ['cancelled', 'settled']);
  await queue.close();
});

test('the end of a call does not delete a record that another host took over', () =>
  inFolder(async (folder) => {
    const store = createFolderStore(folder);
    const queue = queueOn(store);
    const call = {
      ...suspended,
      inputRequests: { sure: { method: 'elicitation/create' } },
    } as unknown as SuspendedCall;
    const { automatic } = await queue.trackCall(async () => {
      const decision = queue.decide(question('one'), { call });
      await until(() => queue.items().length > 0);
      await store.put('pending/one', { ...((await store.get('pending/one')) as object), owner: 'another' });
      queue.answer('one', { allow: true, content: { sure: true } });
      return decision;
    });
    assert.equal(automatic, true);
    assert.equal(((await store.get('pending/one')) as { owner: string }).owner, 'another');
    await queue.close();
  }));

test('a resumed call has its question under the same id, and keeps an answer that was not sent', () =>
  inFolder(async (folder) => {
    await killed(folder, (queue) => void queue.decide(question('q'), { call: suspended, launch: 'l', pin: 'p' }));
    const [item] = await listPending(folder);
    await answerPending(folder, item!.id, { allow: true, content: { sure: true } });
    const next = queueOn(createFolderStore(folder));
    const [interruptedCall] = await next.takeInterrupted(() => true);
    assert.deepEqual([interruptedCall!.launch, interruptedCall!.pin, interruptedCall!.isAnswered()], ['l', 'p', false]);
    const again = (): Promise<Decision> =>
      next.decide({ ...question('q'), tool: 'other' }, { call: structuredClone(suspended) });
    assert.equal((await again()).allow, true);
    assert.equal(interruptedCall!.isAnswered(), true);
    assert.deepEqual(await listPending(folder), []);
    await interruptedCall!.putBack();
    assert.deepEqual(await idsIn(folder), ['q']);
    assert.deepEqual((await again()).content, { sure: true });
    await interruptedCall!.finish();
    assert.deepEqual([await listPending(folder), await readdir(join(folder, 'answers'))], [[], []]);
    await next.close();
  }));

/** A call that asks these questions. */
function askingFor(...names: string[]): SuspendedCall {
  const inputRequests = Object.fromEntries(names.map((name) => [name, { method: 'elicitation/create' as const }]));
  return { ...suspended, inputRequests } as unknown as SuspendedCall;
}

test('a call whose host was killed after its last answer is handed over as answered, once', () =>
  inFolder(async (folder) => {
    const first = queueOn(createFolderStore(folder));
    const call = askingFor('sure');
    let isAnswered = false;
    void first.trackCall(async () => {
      await first.decide(question('q'), { call });
      isAnswered = true;
      await new Promise(() => {});
    });
    await until(() => first.items().length > 0);
    first.answer('q', { allow: true, content: { sure: true } });
    await until(() => isAnswered);
    assert.deepEqual(await listPending(folder), []);
    assert.equal(await answerPending(folder, 'q', { allow: false }), false);
    // The state is the same as after a kill.
    await first.close();
    const next = queueOn(createFolderStore(folder));
    const [interruptedCall, ...others] = await next.takeInterrupted(() => true);
    assert.deepEqual([interruptedCall?.isAnswered(), others.length], [true, 0]);
    await interruptedCall!.finish();
    assert.deepEqual(await readdir(join(folder, 'pending')), []);
    await next.close();
  }));

test('a call whose host was killed between two answers keeps the first one', () =>
  inFolder(async (folder) => {
    const first = queueOn(createFolderStore(folder));
    const call = askingFor('sure', 'also');
    const also: QuestionItem = { ...question('r'), name: 'also' };
    void first.trackCall(async () => {
      await first.decide(question('q'), { call });
      await first.decide(also, { call }).catch(() => {});
      await new Promise(() => {});
    });
    await until(() => first.items().length > 0);
    first.answer('q', { allow: true, content: { sure: true } });
    await until(() => first.items().some(({ id }) => id === 'r'));
    await first.close();
    const next = queueOn(createFolderStore(folder));
    const [interruptedCall] = await next.takeInterrupted(() => true);
    assert.equal(interruptedCall!.isAnswered(), false);
    const decisions = interruptedCall!.resume((same) =>
      Promise.all([next.decide(question('q'), { call: same }), next.decide(also, { call: same })]),
    );
    await until(() => next.items().length === 1 && next.items()[0]!.id === 'r');
    next.answer('r', { allow: false });
    assert.deepEqual(
      (await decisions).map(({ allow, content }) => [allow, content]),
      [
        [true, { sure: true }],
        [false, undefined],
      ],
    );
    await next.close();
  }));

test('the records of a call are deleted when it ends, and those of a round when the next one begins', () =>
  inFolder(async (folder) => {
    const queue = queueOn(createFolderStore(folder));
    const files = (): Promise<string[]> => readdir(join(folder, 'pending'));
    const ask = async (id: string, state: string): Promise<void> => {
      const decision = queue.decide(question(id), { call: { ...askingFor('sure'), state } });
      await until(() => queue.items().some((item) => item.id === id));
      queue.answer(id, { allow: true, content: { sure: true } });
      await decision;
    };
    await queue.trackCall(async () => {
      await ask('q', 'first');
      assert.deepEqual(await files(), ['q.json']);
      await ask('r', 'second');
      await until(async () => (await files()).join() === 'r.json');
    });
    assert.deepEqual(await files(), []);
    await queue.close();
  }));

for (const step of ['locked', 'put'] as const)
  test(`a call that is abandoned while its question is being stored leaves no record: ${step}`, async () => {
    const store = createMemoryStore();
    const first = queueOn(store);
    first.decide(question('q'), { call: suspended }).catch(() => {});
    await until(() => first.items().length > 0);
    await first.close();
    let held: (() => void)[] | undefined;
    const holding = async (name: string): Promise<void> => {
      if (held !== undefined && name.startsWith('pending')) await new Promise<void>((goOn) => held!.push(goOn));
    };
    const next = queueOn({
      ...store,
      put: async (name, value) => {
        if (step === 'put') await holding(name);
        await store.put(name, value);
      },
      withLock: async (name, work) => {
        if (step === 'locked') await holding(name);
        return store.withLock(name, work);
      },
    });
    const [interruptedCall] = await next.takeInterrupted(() => true);
    const stop = new AbortController();
    held = [];
    const asking = interruptedCall!.resume((call) => next.decide(question('q'), { call, signal: stop.signal }));
    asking.catch(() => {});
    await until(() => held!.length > 0);
    stop.abort(new Error('too late'));
    await interruptedCall!.finish();
    const waiting = held;
    held = undefined;
    for (const goOn of waiting) goOn();
    await assert.rejects(asking, /too late/);
    assert.deepEqual(await store.list('pending'), []);
    await next.close();
  });

test('the number and age of kept records and their answers are limited', () =>
  inFolder(async (folder) => {
    const store = createFolderStore(folder);
    const day = 24 * 3_600_000;
    const put = (id: string, age: number): Promise<void> =>
      store.put(`pending/${id}`, { item: { ...read(id), at: Date.now() - age }, owner: 'gone' });
    await put('old', 8 * day);
    const first = queueOn(store);
    await first.takeInterrupted(() => true);
    assert.deepEqual(await idsIn(folder), []);
    await first.close();
    await put('old', 8 * day);
    for (let index = 0; index < 205; index++) await put(`n${index}`, index * 1_000);
    await store.put('answers/old', { allow: true });
    await store.put('answers/nobody', { allow: true });
    const queue = queueOn(store);
    await queue.takeInterrupted(() => true);
    const ids = await idsIn(folder);
    assert.deepEqual(
      [ids.length, ids.includes('old'), ids.includes('n199'), ids.includes('n200')],
      [200, false, true, false],
    );
    assert.deepEqual(await store.list('answers'), []);
    await queue.close();
  }));

test('items of one server are not removed to make room for items of another', () =>
  inFolder(async (folder) => {
    const store = createFolderStore(folder);
    const put = (id: string, server: string, age: number): Promise<void> =>
      store.put(`pending/${id}`, { item: { ...read(id), server, at: Date.now() - age }, owner: 'gone' });
    await put('other', 'b', 60_000);
    for (let index = 0; index < 250; index++) await put(`n${index}`, 'a', index);
    const queue = queueOn(store);
    await queue.takeInterrupted(() => true);
    const ids = await idsIn(folder);
    assert.ok(ids.includes('other'));
    assert.ok(ids.length <= 201, `${ids.length}`);
    await queue.close();
  }));

test('a record whose time is in the future is not kept longer than any other', () =>
  inFolder(async (folder) => {
    const store = createFolderStore(folder);
    const year = 365 * 24 * 3_600_000;
    await store.put('pending/future', { item: { ...read('future'), at: Date.now() + 10 * year }, owner: 'gone' });
    await store.put('pending/now', { item: read('now'), owner: 'gone' });
    const queue = queueOn(store);
    await queue.takeInterrupted(() => true);
    assert.deepEqual(await idsIn(folder), ['now']);
    await queue.close();
  }));

test('a record that is not UTF-8 is quarantined and not repaired', () =>
  inFolder(async (folder) => {
    const store = createFolderStore(folder);
    await store.put('pending/good', { item: read('good'), owner: 'gone' });
    const text = JSON.stringify({ item: read('bytes'), owner: 'gone' });
    await writeFile(join(folder, 'pending', 'bytes.json'), Buffer.from(text.replace('x:y', 'x:\xff'), 'latin1'));
    const problems: string[] = [];
    const queue = queueOn(store, { reportProblem: (_server, message) => problems.push(message) });
    assert.deepEqual(
      (await listPending(folder)).map(({ id }) => id),
      ['good'],
    );
    await queue.takeInterrupted(() => true);
    assert.equal(problems.length, 1, problems.join('\n'));
    const files = await readdir(join(folder, 'pending'));
    assert.equal(files.filter((name) => name.endsWith('.bad')).length, 1);
    await queue.close();
  }));

test('invalid files are quarantined and reported, and affect nothing else', () =>
  inFolder(async (folder) => {
    const store = createFolderStore(folder);
    await store.put('pending/good', { item: question('good'), call: suspended, owner: 'gone' });
    await store.put('pending/null', null);
    await store.put('pending/other', { item: read('another-id'), owner: 'gone' });
    await store.put('pending/half', { item: { ...read('half'), warnings: 7 }, owner: 'gone' });
    for (const name of ['torn', 'a b', '.DS_Store', '.DS_Store.json']) {
      await writeFile(join(folder, 'pending', name.includes('.') ? name : `${name}.json`), '{"item": {');
    }
    const problems: string[] = [];
    const queue = queueOn(store, { reportProblem: (_server, message) => problems.push(message) });
    assert.deepEqual((await listPending(folder)).length, 1);
    assert.deepEqual(
      (await queue.takeInterrupted(() => true)).map(({ item }) => item.id),
      ['good'],
    );
    assert.equal(problems.length, 4);
    assert.match(
      problems.join(),
      /pending\/torn in the state folder was invalid, and was renamed to a file that ends in \.bad: .* is not JSON/,
    );
    const files = await readdir(join(folder, 'pending'));
    assert.equal(files.filter((name) => name.endsWith('.bad')).length, 4);
    await queue.takeInterrupted(() => true);
    assert.equal(problems.length, 4);
    await queue.close();
  }));

const NONSENSE = [
  null,
  'yes',
  [],
  {},
  { allow: 'no' },
  { allow: true, scope: null },
  { allow: true, scope: 'forever' },
  { allow: true, reason: 7 },
  { allow: true, content: [] },
  { allow: true, content: { x: {} } },
  { allow: true, cancel: 'no' },
  { allow: true, request: 'x' },
  { allow: true, result: null },
] as unknown as Decision[];

test('an invalid decision is rejected wherever it comes from', () =>
  inFolder(async (folder) => {
    const problems: string[] = [];
    const store = createFolderStore(folder);
    const queue = queueOn(store, { reportProblem: (_server, message) => problems.push(message) });
    const decision = queue.decide(read('one'), {});
    await until(() => queue.items().length > 0);
    for (const nonsense of NONSENSE) {
      assert.throws(() => queue.answer('one', nonsense), DecisionError);
      await assert.rejects(answerPending(folder, 'one', nonsense), DecisionError);
    }
    await store.put('answers/one', { allow: 'yes' });
    await until(() => problems.length > 0);
    assert.match(problems.join(), /answer to the read with the id one does not fit, so it waits for another one/);
    assert.equal(queue.items().length, 1);
    assert.equal(queue.answer('one', { allow: true, more: 1, automatic: true } as Decision), true);
    assert.deepEqual(await decision, { allow: true });
    await queue.close();
  }));

test('a decision handler that throws or returns an invalid decision denies', async () => {
  const handlers = [
    () => {
      throw new Error('a bug');
    },
    () => Promise.reject(new Error('a bug')),
    () => undefined,
    ...NONSENSE.map((nonsense) => () => nonsense),
  ] as (() => Decision)[];
  for (const handler of handlers) {
    const problems: string[] = [];
    const queue = queueOn(createMemoryStore(), {
      handlerOf: () => handler,
      reportProblem: (_server, said) => problems.push(said),
    });
    const { allow, automatic, reason } = await queue.decide(read('1'), {});
    assert.deepEqual([allow, automatic], [false, true]);
    assert.match(reason!, /the decision handler failed/);
    assert.equal(reason!.includes('a bug'), false);
    assert.equal(problems.length, 1);
  }
});

test('an answer that does not fit is rejected with the fields that are wrong, and the question keeps waiting', () =>
  inFolder(async (folder) => {
    const problems: string[] = [];
    const store = createFolderStore(folder);
    const queue = queueOn(store, { reportProblem: (_server, message) => problems.push(message) });
    const decision = queue.decide(question('q'), {});
    await until(() => queue.items().length > 0);
    const wrong = [
      [{}, { path: ['content', 'sure'], message: 'is required' }],
      [{ sure: 'yes' }, { path: ['content', 'sure'], message: 'must be a boolean, got a string' }],
      [
        { sure: true, size: 1.5 },
        { path: ['content', 'size'], message: 'must be an integer, got 1.5' },
      ],
    ] as const;
    for (const [content, issue] of wrong) {
      const given = { allow: true, content };
      const expected = { name: 'DecisionError', code: 'invalid-decision', issues: [issue] };
      assert.throws(() => queue.answer('q', given), expected);
      await assert.rejects(answerPending(folder, 'q', given), expected);
    }
    assert.deepEqual(problems, [], 'who answers has the error');
    await store.put('answers/q', { allow: true });
    await until(() => problems.length > 0);
    assert.match(problems.join(), /content\.sure: is required/);
    assert.equal(queue.answer('q', { allow: true, content: { sure: true } }), true);
    assert.equal(queue.answer('q', { allow: true }), false, 'it no longer waits');
    assert.deepEqual(await decision, { allow: true, content: { sure: true } });
    await queue.close();
  }));

test('items beyond a thousand are denied automatically, even before any is stored', async () => {
  let changes = 0;
  const queue = queueOn(createMemoryStore(), { onChange: () => changes++ });
  const stop = new AbortController();
  const refusals: Decision[] = [];
  const waits = Array.from({ length: 1_010 }, (_, index) =>
    queue.decide({ ...read(`n${index}`), server: `s${index % 5}` }, { signal: stop.signal }),
  );
  for (const wait of waits)
    wait.then(
      (decision) => refusals.push(decision),
      () => {},
    );
  await until(() => queue.items().length >= 1_000 && refusals.length >= 10);
  assert.deepEqual([queue.items().length, refusals.length], [1_000, 10]);
  for (const { allow, automatic, reason } of refusals) {
    assert.deepEqual([allow, automatic], [false, true]);
    assert.match(reason!, /More than 1000 items/);
  }
  stop.abort(new Error('over'));
  await Promise.allSettled(waits);
  await turns();
  assert.ok(changes < 100, `told ${changes} times`);
});

test('a server that floods the queue does not block the questions of others', async () => {
  const queue = queueOn(createMemoryStore());
  const stop = new AbortController();
  const flood = Array.from({ length: 1_000 }, (_, index) => queue.decide(read(`n${index}`), { signal: stop.signal }));
  const refused = await flood.at(-1)!;
  assert.deepEqual([refused.allow, refused.automatic], [false, true]);
  assert.match(refused.reason!, /More than 250 items of the server 'a'/);
  const other = queue.decide({ ...read('other'), server: 'b' }, {});
  await until(() => queue.items().some(({ id }) => id === 'other'));
  assert.equal(queue.answer('other', { allow: true }), true);
  assert.equal((await other).allow, true);
  stop.abort(new Error('over'));
  await Promise.allSettled(flood);
});

for (const [format, bad] of Object.entries({ email: 'me', uri: 'here', date: '2026-02-30', 'date-time': 'noon' })) {
  test(`an answer that is not a valid ${format} is rejected where the form requires one`, async () => {
    const queue = queueOn(createMemoryStore());
    const form = { schema: { type: 'object', properties: { it: { type: 'string', format } } }, defaults: {} };
    const decision = queue.decide({ ...question('q'), form }, {});
    await until(() => queue.items().length > 0);
    assert.throws(() => queue.answer('q', { allow: true, content: { it: bad } }), DecisionError);
    assert.equal(queue.answer('q', { allow: false }), true);
    await decision;
  });
}

test('the store is read once for the answer to each item', async () => {
  let gets = 0;
  const memory = createMemoryStore();
  const store: StateStore = { ...memory, get: (name) => (name.startsWith('answers/') && gets++, memory.get(name)) };
  const queue = queueOn(store);
  const stop = new AbortController();
  const waits = Array.from({ length: 300 }, (_, index) =>
    queue.decide({ ...read(`n${index}`), server: `s${index % 2}` }, { signal: stop.signal }),
  );
  await until(() => queue.items().length === 300);
  await turns();
  assert.ok(gets <= 300, `${gets} reads`);
  stop.abort(new Error('over'));
  await Promise.allSettled(waits);
});
