// Property 9: whatever clients do with a task, and whenever its process dies, the task behaves like a simple model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rounds } from '../../../../scripts/lib/soak.ts';
import { until } from '../../../../scripts/lib/until.ts';
import { memoryStore, type Store } from '../../src/entries/http.ts';
import { ownerOf, TaskStore } from '../../src/server/tasks/task-store.ts';
import { createdBy, type Served, serveTasks, shown } from './task-server.ts';

type Step = 'get' | 'foreign' | 'answer' | 'answer wrongly' | 'answer nothing asked' | 'cancel' | 'crash';

const STEPS: readonly Step[] = [
  'get',
  'foreign',
  'answer',
  'answer wrongly',
  'answer nothing asked',
  'cancel',
  'crash',
];
const TERMINAL = new Set(['completed', 'failed', 'cancelled']);
const owner = ownerOf({ id: 'ann' });

/** A task under test, on the server that runs it now. */
class Subject {
  served: Served;
  store: Store;
  id: string;
  /** The last state that the client has seen. */
  last: any;
  /** The keys of questions that were answered: none of them may be used again. */
  readonly answered = new Set<string>();

  private constructor(served: Served, store: Store, id: string) {
    this.served = served;
    this.store = store;
    this.id = id;
  }

  static async create(tool: string): Promise<Subject> {
    const store = memoryStore();
    const served = await serveTasks({ store });
    return new Subject(served, store, await createdBy(served, 'ann', tool));
  }

  async look(): Promise<void> {
    const task = await shown(this.served, 'ann', this.id);
    const { last } = this;
    if (last !== undefined && TERMINAL.has(last.status)) {
      const { lastUpdatedAt: _then, taskId: _before, ...before } = last;
      const { lastUpdatedAt: _now, taskId: _after, ...now } = task;
      assert.deepEqual(now, before, 'a task that has ended never changes');
    }
    for (const key of Object.keys(task.inputRequests ?? {}))
      assert.ok(!this.answered.has(key), `${key} is asked again`);
    if (task.status === 'completed') assert.ok(task.result !== undefined);
    if (task.status === 'failed') assert.ok(task.error !== undefined);
    assert.equal(task.status === 'input_required', task.inputRequests !== undefined);
    this.last = task;
  }

  async update(inputResponses: object): Promise<void> {
    const { json } = await this.served.modern('tasks/update', { taskId: this.id, inputResponses }, { user: 'ann' });
    assert.equal(json.result?.resultType, 'complete', JSON.stringify(json));
  }

  /** Answers all open questions. */
  async answer(value: object): Promise<void> {
    if (TERMINAL.has(this.last?.status)) return;
    // It asks a question, or ends, soon.
    await until(async () => {
      await this.look();
      return this.last.status !== 'working';
    }, 'it asks or ends');
    const keys = Object.keys(this.last.inputRequests ?? {});
    for (const key of keys) this.answered.add(key);
    if (keys.length > 0) await this.update(Object.fromEntries(keys.map((key) => [key, value])));
  }

  /**
   * Simulates the death of the process: the task continues, or ends, in another process with its store. It gets another id, because this
   * process lives.
   */
  async crash(): Promise<void> {
    const record = await new TaskStore(this.store, 'tasks').read({ owner, id: this.id });
    const store = memoryStore();
    const id = TaskStore.createId(Date.now());
    await new TaskStore(store, 'tasks').create({ owner, id }, { ...record!, id }, 'the dead process', 1);
    await until(async () => (await store.get(`task-lease/tasks/${id}`)) === undefined, 'its lease is over');
    await this.served.modern('tasks/cancel', { taskId: this.id }, { user: 'ann' });
    this.served = await serveTasks({ store });
    [this.store, this.id] = [store, id];
  }
}

async function run(subject: Subject, step: Step): Promise<void> {
  const { served, id } = subject;
  switch (step) {
    case 'get':
      return subject.look();
    case 'foreign': {
      const { json } = await served.modern('tasks/cancel', { taskId: id }, { user: 'bob' });
      assert.equal(json.error.code, -32602);
      return subject.look();
    }
    case 'answer':
      return subject.answer({ action: 'accept', content: { color: 'red', value: 4 } });
    case 'answer wrongly':
      return subject.answer({ action: 'accept', content: { color: 5, value: 3 } });
    case 'answer nothing asked':
      return subject.update({ nothing: { action: 'accept', content: { color: 'blue' } } });
    case 'cancel':
      await served.modern('tasks/cancel', { taskId: id }, { user: 'ann' });
      return subject.look();
    case 'crash':
      return subject.crash();
  }
}

test('property 9: a task that has ended never changes, a question is never asked again under its key, and a death loses no task', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('color', 'even', 'again', 'charge'),
      fc.array(fc.constantFrom(...STEPS), { maxLength: 8 }),
      async (tool, steps) => {
        const subject = await Subject.create(tool);
        for (const step of steps) await run(subject, step);
        // In any case it can be brought to an end.
        for (let time = 0; time < 4 && !TERMINAL.has(subject.last?.status); time++) await run(subject, 'answer');
        await until(async () => {
          await subject.look();
          return TERMINAL.has(subject.last.status);
        }, 'it has ended');
      },
    ),
    { numRuns: rounds(40, 1_000) },
  );
});
