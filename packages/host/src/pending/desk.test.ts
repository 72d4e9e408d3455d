import assert from 'node:assert/strict';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SuspendedCall } from 'tenon/client';
import { turns, until } from '../../../../scripts/lib/until.ts';
import { createFolderKeep, createMemoryKeep, type Keep } from '../state/keep.ts';
import { createDesk, type Desk, type DeskOptions } from './desk.ts';
import type { Decision, QuestionItem, ReadItem } from './item.ts';
import { answerPending, listPending } from './outside.ts';

const read = (id: string, uri = 'x:y'): ReadItem => ({
  kind: 'read',
  id,
  at: Date.now(),
  server: 'a',
  warnings: [],
  uri,
  by: 'user',
});
const question = (id: string): QuestionItem => ({
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
});
const suspended: SuspendedCall = { method: 'tools/call', params: { name: 'x' }, questions: {}, state: 's' };

const deskOn = (keep: Keep, more: Partial<DeskOptions> = {}): Desk =>
  createDesk({ keep, deciderOf: () => undefined, changed: () => {}, problem: () => {}, ...more });

/** Another item was answered from outside: what was to be answered before it was, too. */
const answeredBeside = async (desk: Desk, folder: string): Promise<void> => {
  const decision = desk.decide(read('beside', 'x:beside'), {});
  await until(() => desk.items().some(({ id }) => id === 'beside'));
  assert.equal(await answerPending(folder, 'beside', { allow: true }), true);
  await decision;
};

const inFolder = async (work: (folder: string) => Promise<void>): Promise<void> =>
  work(await mkdtemp(join(tmpdir(), 'desk-')));

const idsIn = async (folder: string): Promise<string[]> => (await listPending(folder)).map(({ id }) => id);

/** What a host leaves that is killed: everything but its sign of life. */
const killed = async (folder: string, begin: (desk: Desk) => void): Promise<void> => {
  const desk = deskOn(createFolderKeep(folder));
  const count = (await listPending(folder)).length;
  begin(desk);
  await until(async () => (await listPending(folder)).length > count);
  await desk.close();
};

test('somebody in this program decides', async () => {
  const desk = deskOn(createMemoryKeep(), { deciderOf: () => (item) => ({ allow: item.server === 'a' }) });
  assert.deepEqual(await desk.decide(read('1'), {}), { allow: true });
  assert.deepEqual(desk.items(), []);
});

test('without anybody it waits, and can be answered by its id, once', async () => {
  const desk = deskOn(createMemoryKeep());
  const decision = desk.decide(read('1'), {});
  await until(() => desk.items().length > 0);
  assert.deepEqual(
    desk.items().map(({ id }) => id),
    ['1'],
  );
  assert.equal(desk.answer('2', { allow: true }), false);
  assert.equal(desk.answer('1', { allow: false, reason: 'No' }), true);
  assert.equal(desk.answer('1', { allow: true }), false);
  assert.deepEqual(desk.items(), []);
  assert.deepEqual(await decision, { allow: false, reason: 'No' });
});

test('another program sees what waits in the folder, and answers it', () =>
  inFolder(async (folder) => {
    const desk = deskOn(createFolderKeep(folder));
    const item = read('one');
    const decision = desk.decide(item, {});
    await until(async () => (await listPending(folder)).length > 0);
    assert.deepEqual(await listPending(folder), [item]);
    assert.equal(await answerPending(folder, 'two', { allow: true }), false);
    assert.equal(await answerPending(folder, '../one', { allow: true }), false);
    assert.equal(await answerPending(folder, 'one', { allow: true, scope: 'always' }), true);
    assert.deepEqual(await decision, { allow: true, scope: 'always' });
    assert.deepEqual(await readdir(join(folder, 'answers')), []);
    assert.deepEqual(await listPending(folder), []);
    await desk.close();
  }));

test('what is cancelled is gone; what waits when the host closes stays, a call that can be gone on with or not', () =>
  inFolder(async (folder) => {
    const desk = deskOn(createFolderKeep(folder));
    const gone = new AbortController();
    const first = desk.decide(question('gone'), { signal: gone.signal, call: suspended });
    await until(() => desk.items().length > 0);
    gone.abort(new Error('Cancelled'));
    await assert.rejects(first, /Cancelled/);
    assert.deepEqual(await listPending(folder), []);

    const closing = new AbortController();
    const second = desk.decide(question('stays'), { signal: closing.signal, call: suspended });
    const third = desk.decide(read('stays-too'), { signal: closing.signal });
    await until(() => desk.items().length > 1);
    void desk.close();
    closing.abort(new Error('Closed'));
    await assert.rejects(second, /Closed/);
    await assert.rejects(third, /Closed/);
    assert.deepEqual((await idsIn(folder)).sort(), ['stays', 'stays-too']);

    const next = deskOn(createFolderKeep(folder));
    const [left, ...others] = await next.left(() => true);
    assert.deepEqual([left?.item.id, left?.call, others], ['stays', suspended, []]);
    assert.deepEqual(await next.left(() => true), []);
    await left!.over();
    assert.deepEqual(await idsIn(folder), ['stays-too']);
    await next.close();
  }));

test('an approval that waited when its host was killed has the same id in the next one, and the answer given meanwhile counts', () =>
  inFolder(async (folder) => {
    await killed(folder, (desk) => void desk.decide(read('before'), { exactly: 'v1' }));
    assert.deepEqual(await idsIn(folder), ['before']);
    assert.equal(await answerPending(folder, 'before', { allow: true, reason: 'Later' }), true);
    const next = deskOn(createFolderKeep(folder));
    assert.deepEqual(await next.left(() => true), []);
    assert.deepEqual(await next.decide(read('after'), { exactly: 'v1' }), { allow: true, reason: 'Later' });
    assert.deepEqual(await idsIn(folder), []);
    await next.close();
  }));

test('an answer that waits is for nothing else: not for another item, nor for what is something else now', () =>
  inFolder(async (folder) => {
    await killed(folder, (desk) => void desk.decide(read('before'), { exactly: 'v1' }));
    await answerPending(folder, 'before', { allow: true });
    const next = deskOn(createFolderKeep(folder));
    const others = [next.decide(read('after'), { exactly: 'v2' }), next.decide(read('else', 'x:z'), { exactly: 'v1' })];
    await until(() => next.items().length === 2);
    await answeredBeside(next, folder);
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

test('an answer that lay there before the item began to wait decides nothing', () =>
  inFolder(async (folder) => {
    const keep = createFolderKeep(folder);
    await keep.put('answers/early', { allow: true, content: { sure: true } });
    const desk = deskOn(keep);
    const decision = desk.decide(question('early'), { call: suspended });
    await until(() => desk.items().length > 0);
    await answeredBeside(desk, folder);
    assert.equal(desk.answer('early', { allow: false }), true);
    assert.deepEqual(await decision, { allow: false });
    await desk.close();
  }));

test('two equal questions at once have an id and an answer each', () =>
  inFolder(async (folder) => {
    const desk = deskOn(createFolderKeep(folder));
    const both = [
      desk.decide(question('same'), { call: suspended }),
      desk.decide(question('same'), { call: suspended }),
    ];
    await until(() => desk.items().length === 2);
    const ids = desk.items().map(({ id }) => id);
    assert.equal(new Set(ids).size, 2);
    assert.deepEqual((await idsIn(folder)).sort(), ids.sort());
    assert.equal(desk.answer(ids[0]!, { allow: false, reason: 'one' }), true);
    assert.equal(desk.answer(ids[1]!, { allow: false, reason: 'two' }), true);
    assert.deepEqual((await Promise.all(both)).map(({ reason }) => reason).sort(), ['one', 'two']);
    await desk.close();
  }));

test('of two hosts that live, neither takes what waits in the other', () =>
  inFolder(async (folder) => {
    const first = deskOn(createFolderKeep(folder));
    const second = deskOn(createFolderKeep(folder));
    const asked = first.decide(question('q'), { call: suspended });
    const approval = first.decide(read('r'), {});
    await until(() => first.items().length === 2);
    assert.deepEqual(await second.left(() => true), []);
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

test('of two hosts that begin together, one goes on with a call that was left', () =>
  inFolder(async (folder) => {
    await killed(folder, (desk) => void desk.decide(question('q'), { call: suspended }));
    const desks = [
      deskOn(createFolderKeep(folder)),
      deskOn(createFolderKeep(folder)),
      deskOn(createFolderKeep(folder)),
    ];
    const left = await Promise.all(desks.map((desk) => desk.left(() => true)));
    assert.deepEqual(left.map((calls) => calls.length).sort(), [0, 0, 1]);
    await Promise.all(desks.map((desk) => desk.close()));
  }));

test('a process number that somebody else has by now does not keep what was left from being gone on with', () =>
  inFolder(async (folder) => {
    const keep = createFolderKeep(folder);
    const kept = { item: question('q'), call: suspended };
    await keep.put('pending/q', { ...kept, owner: 'container' });
    // The number of this process, which runs, as the host in the container had it.
    await keep.put('owners/container', { at: Date.now() - 60_000, pid: process.pid, where: 'a container' });
    const desk = deskOn(keep);
    assert.equal((await desk.left(() => true)).length, 1);
    await desk.close();
  }));

test('a host of another machine that gives signs of life keeps what waits in it', () =>
  inFolder(async (folder) => {
    const keep = createFolderKeep(folder);
    await keep.put('pending/q', { item: question('q'), call: suspended, owner: 'far' });
    await keep.put('owners/far', { at: Date.now(), pid: 2 ** 22 + 1, where: 'another machine' });
    const desk = deskOn(keep);
    assert.deepEqual(await desk.left(() => true), []);
    await desk.close();
  }));

test('what another host has gone on with meanwhile is not done here too', () =>
  inFolder(async (folder) => {
    const keep = createFolderKeep(folder);
    const desk = deskOn(keep);
    const decision = desk.decide(read('one'), {});
    await until(() => desk.items().length > 0);
    const kept = (await keep.get('pending/one')) as object;
    await keep.put('pending/one', { ...kept, owner: 'another' });
    desk.answer('one', { allow: true });
    const { allow, automatic } = await decision;
    assert.deepEqual([allow, automatic], [false, true]);
    assert.notEqual(await keep.get('pending/one'), undefined);
    await desk.close();
  }));

test('a call that is gone on with has its question under the same id, and its answer again if it was not sent', () =>
  inFolder(async (folder) => {
    await killed(folder, (desk) => void desk.decide(question('q'), { call: suspended, launch: 'l', pin: 'p' }));
    const [item] = await listPending(folder);
    await answerPending(folder, item!.id, { allow: true, content: { sure: true } });
    const next = deskOn(createFolderKeep(folder));
    const [left] = await next.left(() => true);
    assert.deepEqual([left!.launch, left!.pin, left!.isAnswered()], ['l', 'p', false]);
    const again = (): Promise<Decision> =>
      next.decide({ ...question('q'), tool: 'other' }, { call: structuredClone(suspended) });
    assert.equal((await again()).allow, true);
    assert.equal(left!.isAnswered(), true);
    assert.deepEqual(await listPending(folder), []);
    await left!.again();
    assert.deepEqual(await idsIn(folder), ['q']);
    assert.deepEqual((await again()).content, { sure: true });
    await left!.over();
    assert.deepEqual([await listPending(folder), await readdir(join(folder, 'answers'))], [[], []]);
    await next.close();
  }));

for (const step of ['locked', 'put'] as const)
  test(`a call that is given up while its question is on its way into the folder leaves nothing there: ${step}`, async () => {
    const keep = createMemoryKeep();
    const first = deskOn(keep);
    first.decide(question('q'), { call: suspended }).catch(() => {});
    await until(() => first.items().length > 0);
    await first.close();
    let held: (() => void)[] | undefined;
    const holding = async (name: string): Promise<void> => {
      if (held !== undefined && name.startsWith('pending')) await new Promise<void>((goOn) => held!.push(goOn));
    };
    const next = deskOn({
      ...keep,
      put: async (name, value) => {
        if (step === 'put') await holding(name);
        await keep.put(name, value);
      },
      locked: async (name, work) => {
        if (step === 'locked') await holding(name);
        return keep.locked(name, work);
      },
    });
    const [left] = await next.left(() => true);
    const stop = new AbortController();
    held = [];
    const asking = left!.goOn((call) => next.decide(question('q'), { call, signal: stop.signal }));
    asking.catch(() => {});
    await until(() => held!.length > 0);
    stop.abort(new Error('too late'));
    await left!.over();
    const waiting = held;
    held = undefined;
    for (const goOn of waiting) goOn();
    await assert.rejects(asking, /too late/);
    assert.deepEqual(await keep.list('pending'), []);
    await next.close();
  });

test('what stays is bounded in number and in age, with its answers', () =>
  inFolder(async (folder) => {
    const keep = createFolderKeep(folder);
    const day = 24 * 3_600_000;
    const put = (id: string, age: number): Promise<void> =>
      keep.put(`pending/${id}`, { item: { ...read(id), at: Date.now() - age }, owner: 'gone' });
    await put('old', 8 * day);
    const first = deskOn(keep);
    await first.left(() => true);
    assert.deepEqual(await idsIn(folder), []);
    await first.close();
    await put('old', 8 * day);
    for (let index = 0; index < 205; index++) await put(`n${index}`, index * 1_000);
    await keep.put('answers/old', { allow: true });
    await keep.put('answers/nobody', { allow: true });
    const desk = deskOn(keep);
    await desk.left(() => true);
    const ids = await idsIn(folder);
    assert.deepEqual(
      [ids.length, ids.includes('old'), ids.includes('n199'), ids.includes('n200')],
      [200, false, true, false],
    );
    assert.deepEqual(await keep.list('answers'), []);
    await desk.close();
  }));

test('files that nobody can use are set aside and told, and stop nothing', () =>
  inFolder(async (folder) => {
    const keep = createFolderKeep(folder);
    await keep.put('pending/good', { item: question('good'), call: suspended, owner: 'gone' });
    await keep.put('pending/null', null);
    await keep.put('pending/other', { item: read('another-id'), owner: 'gone' });
    await keep.put('pending/half', { item: { ...read('half'), warnings: 7 }, owner: 'gone' });
    for (const name of ['torn', 'a b', '.DS_Store', '.DS_Store.json']) {
      await writeFile(join(folder, 'pending', name.includes('.') ? name : `${name}.json`), '{"item": {');
    }
    const problems: string[] = [];
    const desk = deskOn(keep, { problem: (_server, message) => problems.push(message) });
    assert.deepEqual((await listPending(folder)).length, 1);
    assert.deepEqual(
      (await desk.left(() => true)).map(({ item }) => item.id),
      ['good'],
    );
    assert.equal(problems.length, 4);
    assert.match(
      problems.join(),
      /pending\/torn in the state folder is set aside, as a file that ends in \.bad: .* is not JSON/,
    );
    const files = await readdir(join(folder, 'pending'));
    assert.equal(files.filter((name) => name.endsWith('.bad')).length, 4);
    await desk.left(() => true);
    assert.equal(problems.length, 4);
    await desk.close();
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

test('what is no decision is taken from nobody', () =>
  inFolder(async (folder) => {
    const problems: string[] = [];
    const keep = createFolderKeep(folder);
    const desk = deskOn(keep, { problem: (_server, message) => problems.push(message) });
    const decision = desk.decide(read('one'), {});
    await until(() => desk.items().length > 0);
    for (const nonsense of NONSENSE) {
      assert.throws(() => desk.answer('one', nonsense), TypeError);
      await assert.rejects(answerPending(folder, 'one', nonsense), TypeError);
    }
    await keep.put('answers/one', { allow: 'yes' });
    await until(() => problems.length > 0);
    assert.match(problems.join(), /does not fit, so the read with the id one waits for another one/);
    assert.equal(desk.items().length, 1);
    assert.equal(desk.answer('one', { allow: true, more: 1, automatic: true } as Decision), true);
    assert.deepEqual(await decision, { allow: true });
    await desk.close();
  }));

test('a function that decides, and throws or says nothing that makes sense, denies', async () => {
  const deciders = [
    () => {
      throw new Error('a bug');
    },
    () => Promise.reject(new Error('a bug')),
    () => undefined,
    ...NONSENSE.map((nonsense) => () => nonsense),
  ] as (() => Decision)[];
  for (const decider of deciders) {
    const problems: string[] = [];
    const desk = deskOn(createMemoryKeep(), {
      deciderOf: () => decider,
      problem: (_server, said) => problems.push(said),
    });
    const { allow, automatic, reason } = await desk.decide(read('1'), {});
    assert.deepEqual([allow, automatic], [false, true]);
    assert.match(reason!, /the function that decides failed/);
    assert.equal(reason!.includes('a bug'), false);
    assert.equal(problems.length, 1);
  }
});

test('an answer that leaves out what the form requires is refused, and the question goes on waiting', () =>
  inFolder(async (folder) => {
    const problems: string[] = [];
    const keep = createFolderKeep(folder);
    const desk = deskOn(keep, { problem: (_server, message) => problems.push(message) });
    const decision = desk.decide(question('q'), {
      check: ({ content }) => (content?.['size'] === 4 ? 'no fours' : undefined),
    });
    await until(() => desk.items().length > 0);
    assert.equal(desk.answer('q', { allow: true }), false);
    assert.equal(desk.answer('q', { allow: true, content: { sure: 'yes' } }), false);
    assert.equal(desk.answer('q', { allow: true, content: { sure: true, size: 1.5 } }), false);
    assert.equal(desk.answer('q', { allow: true, content: { sure: true, size: 4 } }), false);
    assert.equal(problems.length, 4);
    assert.match(problems.join('; '), /sure: is required.*sure: must be a boolean.*size: must be an integer.*no fours/);
    await assert.rejects(answerPending(folder, 'q', { allow: true }), /does not fit the form: sure: is required/);
    await keep.put('answers/q', { allow: true });
    await until(() => problems.length > 4);
    assert.equal(desk.answer('q', { allow: true, content: { sure: true } }), true);
    assert.deepEqual(await decision, { allow: true, content: { sure: true } });
    await desk.close();
  }));

test('more than a thousand things at once are refused, also before any of them is kept, and by nobody', async () => {
  let changes = 0;
  const desk = deskOn(createMemoryKeep(), { changed: () => changes++ });
  const stop = new AbortController();
  const refusals: Decision[] = [];
  const waits = Array.from({ length: 1_010 }, (_, index) =>
    desk.decide({ ...read(`n${index}`), server: `s${index % 5}` }, { signal: stop.signal }),
  );
  for (const wait of waits)
    wait.then(
      (decision) => refusals.push(decision),
      () => {},
    );
  await until(() => desk.items().length >= 1_000 && refusals.length >= 10);
  assert.deepEqual([desk.items().length, refusals.length], [1_000, 10]);
  for (const { allow, automatic, reason } of refusals) {
    assert.deepEqual([allow, automatic], [false, true]);
    assert.match(reason!, /More than 1000/);
  }
  stop.abort(new Error('over'));
  await Promise.allSettled(waits);
  await turns();
  assert.ok(changes < 100, `told ${changes} times`);
});

test('a server that asks without end does not keep the questions of others from being decided', async () => {
  const desk = deskOn(createMemoryKeep());
  const stop = new AbortController();
  const flood = Array.from({ length: 1_000 }, (_, index) => desk.decide(read(`n${index}`), { signal: stop.signal }));
  const refused = await flood.at(-1)!;
  assert.deepEqual([refused.allow, refused.automatic], [false, true]);
  assert.match(refused.reason!, /More than 250 things of the server 'a'/);
  const other = desk.decide({ ...read('other'), server: 'b' }, {});
  await until(() => desk.items().some(({ id }) => id === 'other'));
  assert.equal(desk.answer('other', { allow: true }), true);
  assert.equal((await other).allow, true);
  stop.abort(new Error('over'));
  await Promise.allSettled(flood);
});

for (const [format, bad] of Object.entries({ email: 'me', uri: 'here', date: '2026-02-30', 'date-time': 'noon' })) {
  test(`an answer that is no ${format}, where the form wants one, is refused`, async () => {
    const desk = deskOn(createMemoryKeep());
    const form = { schema: { type: 'object', properties: { it: { type: 'string', format } } }, defaults: {} };
    const decision = desk.decide({ ...question('q'), form }, {});
    await until(() => desk.items().length > 0);
    assert.equal(desk.answer('q', { allow: true, content: { it: bad } }), false);
    assert.equal(desk.answer('q', { allow: false }), true);
    await decision;
  });
}

test('an answer is looked for once for each item, not for all with each', async () => {
  let gets = 0;
  const memory = createMemoryKeep();
  const keep: Keep = { ...memory, get: (name) => (name.startsWith('answers/') && gets++, memory.get(name)) };
  const desk = deskOn(keep);
  const stop = new AbortController();
  const waits = Array.from({ length: 300 }, (_, index) =>
    desk.decide({ ...read(`n${index}`), server: `s${index % 2}` }, { signal: stop.signal }),
  );
  await until(() => desk.items().length === 300);
  await turns();
  assert.ok(gets <= 300, `${gets} reads`);
  stop.abort(new Error('over'));
  await Promise.allSettled(waits);
});
