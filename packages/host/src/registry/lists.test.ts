import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, Client, ToolEntry } from 'tenon/client';
import { jumpingTime, stopTime } from '../../../../scripts/lib/test-time.ts';
import { turns, until } from '../../../../scripts/lib/until.ts';
import { ListFollower, type Lists } from './lists.ts';

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
function toolOf(description: string): ToolEntry {
  return { name: 'add', description, inputSchema: { type: 'object' } };
}

/** A client of a server that announces changes only if `tells` is set. */
class FakeServer {
  description = 'Adds';
  failure: Error | undefined;
  reads = 0;
  delay = 0;
  #reader: (() => void) | undefined;
  #unread = false;
  #isSilent = false;
  readonly client: Client;

  constructor(tells: boolean, { era = 'legacy', prompts = false } = {}) {
    const fake: unknown = {
      era,
      capabilities: {
        tools: tells ? { listChanged: true } : {},
        prompts: prompts ? { listChanged: true } : undefined,
      },
      tools: () => this.#tools(),
      prompts: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
      watch: (...[what]: Parameters<Client['watch']>) => ({
        ready: Promise.resolve(),
        [Symbol.asyncIterator]: () => ({
          next: () => ('list' in what && what.list === 'tools' ? this.#next() : new Promise(() => {})),
          return: async () => ({ done: true, value: undefined }),
        }),
      }),
    };
    this.client = fake as Client;
  }

  change(): void {
    this.#unread = true;
    this.#reader?.();
  }

  /** Ends the watch of the tools: no further change is announced. */
  fallSilent(): void {
    this.#isSilent = true;
    this.#reader?.();
  }

  async *#tools(): AsyncGenerator<ToolEntry> {
    this.reads++;
    const entry = toolOf(this.description);
    const { failure } = this;
    await wait(this.delay);
    if (failure !== undefined) throw failure;
    yield entry;
  }

  async #next(): Promise<IteratorResult<Change, undefined>> {
    if (!this.#unread) await new Promise<void>((resolve) => (this.#reader = resolve));
    if (this.#isSilent) return { done: true, value: undefined };
    this.#unread = false;
    return { done: false, value: { list: 'tools', missed: false } };
  }
}

const pace = { minIntervalMs: 60, staleMs: 100_000 };

async function followed(server: FakeServer, slow = 0, { minIntervalMs, staleMs } = pace) {
  const taken: (string | undefined)[] = [];
  const problems: string[] = [];
  const take = async ({ tools }: Lists): Promise<void> => {
    await wait(slow);
    taken.push(tools[0]?.description);
  };
  const follower = new ListFollower(server.client, take, (problem) => problems.push(problem), {
    minIntervalMs: minIntervalMs,
    staleMs: staleMs,
  });
  await follower.ready;
  return { follower, taken, problems };
}

test('[A-84] stale tools of a server that does not announce changes are read again', async (t) => {
  const time = jumpingTime(t);
  const server = new FakeServer(false);
  const { follower, taken } = await followed(server);
  server.description = 'EVIL';
  await follower.refresh();
  assert.deepEqual([server.reads, taken], [1, ['Adds']], 'not old yet');
  time.jump(pace.staleMs + 1);
  await follower.refresh();
  assert.deepEqual(taken, ['Adds', 'EVIL']);
  follower.stop();
});

test('concurrent refreshes read the tools once, and all wait until they were processed', async (t) => {
  const time = jumpingTime(t);
  const server = new FakeServer(false);
  const { follower, taken } = await followed(server, 30);
  time.jump(pace.staleMs + 1);
  server.description = 'New';
  const all = Array.from({ length: 20 }, async () => {
    await follower.refresh();
    assert.equal(taken.at(-1), 'New');
  });
  await Promise.all(all);
  assert.equal(server.reads, 2);
  follower.stop();
});

test('unchanged tools are not processed again', async (t) => {
  const time = jumpingTime(t);
  const server = new FakeServer(false);
  const { follower, taken } = await followed(server);
  time.jump(pace.staleMs + 1);
  await follower.refresh();
  assert.deepEqual([server.reads, taken.length], [2, 1]);
  follower.stop();
});

test('tools of a server that announces changes are read only after a change, and a read in progress is awaited', async (t) => {
  const time = jumpingTime(t);
  const server = new FakeServer(true);
  const { follower, taken } = await followed(server);
  time.jump(pace.staleMs + 1);
  await follower.refresh();
  assert.equal(server.reads, 1);
  server.delay = 30;
  server.description = 'First';
  server.change();
  await until(() => server.reads === 2);
  // The read in progress began before this change.
  server.description = 'Second';
  server.change();
  await turns();
  await follower.refresh();
  assert.equal(taken.at(-1), 'Second');
  follower.stop();
});

test('[A-84] stale tools of a server whose announcements have ended are read again', async (t) => {
  const time = jumpingTime(t);
  const server = new FakeServer(true);
  const { follower, taken } = await followed(server);
  server.fallSilent();
  await turns();
  server.description = 'EVIL';
  time.jump(pace.staleMs + 1);
  await follower.refresh();
  assert.deepEqual(taken, ['Adds', 'EVIL']);
  follower.stop();
});

test('a change before the subscription of a modern server is read once', async (t) => {
  const time = jumpingTime(t);
  const server = new FakeServer(true, { era: 'modern' });
  const { follower, taken } = await followed(server);
  server.description = 'Between';
  time.jump(pace.staleMs + 1);
  await follower.refresh();
  assert.deepEqual(taken, ['Adds', 'Between']);
  time.jump(pace.staleMs + 1);
  await follower.refresh();
  assert.equal(server.reads, 2);
  follower.stop();
});

test('a failed read of a list is reported until a read succeeds', async (t) => {
  const time = jumpingTime(t);
  const server = new FakeServer(false);
  const { follower, problems } = await followed(server);
  time.jump(pace.staleMs + 1);
  server.failure = new Error('no database');
  const says = /^Its tools could not be read again: no database\. They could not be compared .*: try again/;
  await assert.rejects(follower.refresh(), { name: 'Error', message: says });
  await assert.rejects(follower.refresh(), { message: says });
  assert.deepEqual(problems, ['Its tools could not be read again: no database']);
  server.failure = undefined;
  await follower.refresh();
  follower.stop();
});

test('tools that changed and cannot be read are not used until a read succeeds', async () => {
  const server = new FakeServer(true);
  const { follower, taken } = await followed(server);
  server.failure = new Error('broken');
  server.description = 'EVIL';
  server.change();
  await turns();
  await assert.rejects(follower.refresh(), /broken/);
  server.failure = undefined;
  await follower.refresh();
  assert.deepEqual(taken, ['Adds', 'EVIL']);
  follower.stop();
});

test('[F-78] a failing list is read again only after a pause, and the same failure is reported once', async (t) => {
  const time = stopTime(t, { imported: true });
  const server = new FakeServer(true);
  const following = followed(server);
  await time.pass(20);
  const { follower, problems } = await following;
  server.failure = new Error('broken');
  const before = server.reads;
  for (let ms = 0; ms < 10 * pace.minIntervalMs; ms += 5) {
    server.change();
    await time.pass(5);
  }
  const reads = server.reads - before;
  assert.ok(reads >= 5 && reads <= 10, `${reads} readings in ten times the pause`);
  assert.deepEqual(problems, ['Its tools could not be read again: broken']);
  server.failure = undefined;
  await time.pass(2 * pace.minIntervalMs);
  server.failure = new Error('broken');
  server.change();
  await time.pass(2 * pace.minIntervalMs);
  assert.equal(problems.length, 2, 'after it worked it is told again');
  follower.stop();
});

test('a refresh ends when its server is stopped', async (t) => {
  const time = jumpingTime(t);
  const server = new FakeServer(false);
  const { follower, problems } = await followed(server, 0, { minIntervalMs: 10_000, staleMs: 100_000 });
  time.jump(100_001);
  server.failure = new Error('broken');
  await assert.rejects(follower.refresh());
  let isOver = false;
  const waiting = assert.rejects(follower.refresh(), /the server is stopped/).finally(() => (isOver = true));
  await turns();
  assert.equal(isOver, false);
  follower.stop();
  await turns();
  assert.equal(isOver, true);
  await waiting;
  assert.equal(problems.length, 1);
});

/** A client of a server whose lists of resources and templates can fail separately. */
function serverWithResources(failing: ReadonlySet<string>, changed: Promise<void>): Client {
  async function* listing<T>(name: string, entry: T): AsyncGenerator<T> {
    if (failing.has(name)) throw new Error(`${name} are broken`);
    yield entry;
  }
  const fake: unknown = {
    era: 'modern',
    capabilities: { resources: { listChanged: true } },
    resources: () => listing('resources', { uri: 'console://logs', name: 'logs' }),
    templates: () => listing('templates', { uriTemplate: 'console://{name}', name: 'console' }),
    watch: () => ({
      ready: Promise.resolve(),
      async *[Symbol.asyncIterator]() {
        await changed;
        yield { list: 'resources', missed: false };
        await new Promise(() => {});
      },
    }),
  };
  return fake as Client;
}

for (const broken of ['resources', 'templates'] as const) {
  const whole = broken === 'resources' ? 'templates' : 'resources';

  test(`${whole} are available when the ${broken} cannot be listed, at first and later`, async () => {
    const failing = new Set<string>([broken]);
    const { promise: changed, resolve: change } = Promise.withResolvers<void>();
    const problems: string[] = [];
    let lists: Lists | undefined;
    const { promise: complete, resolve: done } = Promise.withResolvers<void>();
    const take = async (all: Lists): Promise<void> => {
      lists = all;
      if (all[broken].length === 1) done();
    };
    const follower = new ListFollower(
      serverWithResources(failing, changed),
      take,
      (problem) => problems.push(problem),
      pace,
    );
    await follower.ready;
    assert.deepEqual([lists?.[whole].length, lists?.[broken].length], [1, 0]);
    const title = broken === 'templates' ? 'resource templates' : 'resources';
    assert.deepEqual(problems, [`Its ${title} could not be listed: ${broken} are broken`]);
    failing.delete(broken);
    change();
    await complete;
    assert.equal(lists?.[whole].length, 1);
    follower.stop();
  });
}
