// Tasks in a store, whose processes are killed at random moments, and tasks that are cancelled while they end.

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import process from 'node:process';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../../scripts/lib/seeded-random.ts';
import { rounds } from '../../../scripts/lib/soak.ts';
import { until } from '../../../scripts/lib/until.ts';
import { openStore, sweepStore } from '@tenon/store';
import { server, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { cleanUp, modern, newPlace, type Place, type Reply, type ServerProcess, Session } from './kit.ts';

after(cleanUp);

const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 1_000_000);
const random = seededRandom(seed);
function pick<T>(...values: readonly T[]): T {
  return values[Math.floor(random() * values.length)]!;
}

type Tool = 'work' | 'rework' | 'asking';

/** A task whose handle the client has seen. */
interface Handle {
  readonly id: string;
  readonly tool: Tool;
  readonly name: string;
  readonly era: 'modern' | 'legacy';
  /** Its terminal state, with its result or error. */
  ended?: string;
}

/** The client, which remembers every handle it has seen. */
class Client {
  readonly session: Session;
  readonly handles: Handle[] = [];

  constructor(session: Session) {
    this.session = session;
  }

  /** Starts a task. Resolves when there is an answer, or the connection broke. */
  async start(url: string, number: string): Promise<void> {
    const era = pick<Handle['era']>('modern', 'modern', 'legacy');
    const tool = era === 'modern' ? pick<Tool>('work', 'rework', 'asking') : pick<Tool>('work', 'rework');
    const name = `${number} ${tool}`;
    const args = { name, before: random() * 60, after: random() * 60 };
    const params = { name: tool, arguments: args };
    const call =
      era === 'modern'
        ? modern(url, 'tools/call', params)
        : this.session.request(url, 'tools/call', { ...params, task: { ttl: 600_000 } });
    const { result, error } = await call.catch((): Reply => ({}));
    assert.equal(error, undefined, JSON.stringify(error));
    const id = era === 'modern' ? result?.taskId : result?.task.taskId;
    if (id !== undefined) this.handles.push({ id, tool, name, era });
  }

  /** The state of a task, answering its question if it has one. Undefined: it has not ended, or the server has. */
  async look(url: string, { id, era }: Handle): Promise<string | undefined> {
    const params = { taskId: id };
    const get = era === 'modern' ? modern(url, 'tasks/get', params) : this.session.request(url, 'tasks/get', params);
    const reply = await get.catch(() => undefined);
    if (reply === undefined) return undefined;
    assert.equal(reply.error, undefined, `${id} is lost: ${JSON.stringify(reply.error)}`);
    const { status, result, error, statusMessage } = reply.result;
    if (status === 'input_required') {
      const inputResponses = { word: { action: 'accept', content: { word: id } } };
      await modern(url, 'tasks/update', { ...params, inputResponses }).catch(() => {});
    }
    if (status === 'working' || status === 'input_required') return undefined;
    const outcome = result?.isError === true ? 'tool error' : status;
    return JSON.stringify([outcome, result?.content?.[0].text, error?.message ?? statusMessage]);
  }

  /** Polls tasks until all have ended. A task that had ended before must be unchanged. */
  async waitForAll(url: string, handles: readonly Handle[] = this.handles): Promise<void> {
    for (const handle of handles) {
      const wasEnded = handle.ended;
      let state: string | undefined;
      await until(async () => (state = await this.look(url, handle)) !== undefined, `the end of ${handle.id}`);
      if (wasEnded !== undefined) assert.equal(state, wasEnded, `${handle.id} has ended twice`);
      handle.ended = state!;
    }
  }
}

const INTERRUPTED = /The process that ran this task has ended/;

/** The effects of a task must match its state. */
function checkEffects({ tool, name, ended = '', id }: Handle, effects: ReadonlyMap<string, number>): void {
  const [status, text, message] = JSON.parse(ended) as [string, string | null, string | null];
  const count = effects.get(name) ?? 0;
  if (tool === 'work') {
    assert.ok(count <= 1, `${name} was done ${count} times`);
    if (status === 'completed') assert.equal(count, 1);
    else assert.match(`${status} ${message}`, INTERRUPTED);
    return;
  }
  // It ran again, so it may have acted again.
  assert.equal(status, 'completed', ended);
  assert.ok(count >= 1, `${name} was never done`);
  if (tool === 'asking') assert.equal(text, id);
}

test(`[F-55] [F-57] a task is found, ends once, and acts once, whenever its process is killed (seed ${seed})`, async (t) => {
  const place: Place = newPlace(150);
  let server: ServerProcess = place.start();
  const client = new Client(await Session.begin(await server.url));
  const kills = rounds(20, 500);
  let killed = 0;
  for (let round = 0; killed < kills; round++) {
    const first = client.handles.length;
    const url = await server.url;
    const starts = [0, 1, 2].map((n) => client.start(url, `${round}-${n}`));
    // Every second process lives until a handle has been seen, however slow the machine is. The others may be killed before that.
    if (round % 2 === 0) await Promise.race(starts);
    // Often as soon as a handle is on its way.
    if (random() < 0.6) await sleep(random() * 150);
    await server.kill();
    killed++;
    await Promise.all(starts);
    // Sometimes the process that takes the tasks up is killed as well.
    if (random() < 0.3 && killed < kills) {
      const next = place.start();
      const nextUrl = await next.url;
      const looking = client.handles.slice(first).map(async (handle) => client.look(nextUrl, handle));
      await sleep(random() * 250);
      await next.kill();
      killed++;
      await Promise.all(looking);
    }
    server = place.start();
    await client.waitForAll(await server.url, client.handles.slice(first));
  }
  // Nothing about it changes any more, and two processes report the same.
  const another = place.start();
  await client.waitForAll(await server.url);
  await client.waitForAll(await another.url);
  const effects = place.effects();
  for (const handle of client.handles) checkEffects(handle, effects);
  // A task that was started without an answer may have run, too, but not twice.
  for (const [name, count] of effects) if (name.endsWith(' work')) assert.equal(count, 1, name);
  const ends = Map.groupBy(client.handles, ({ tool, ended }) => `${tool} ${JSON.parse(ended!)[0]}`);
  t.diagnostic(`${client.handles.length} tasks of ${kills} processes that were killed`);
  for (const [end, handles] of ends) t.diagnostic(`${end}: ${handles.length}`);
  // A round kills one or two processes, and every second round has a handle.
  assert.ok(client.handles.length >= kills / 4);
});

test('[F-59] a task that is cancelled while it ends has one end, the same for every reader', async (t) => {
  const place = newPlace();
  const servers = [place.start(), place.start()];
  const urls = await Promise.all(servers.map(({ url }) => url));
  const ends = new Map<string, number>();
  for (let n = 0; n < rounds(100, 1_000); n++) {
    const args = { name: `${n}`, before: random() * 6 };
    const { result } = await modern(pick(...urls), 'tools/call', { name: 'work', arguments: args });
    const { taskId } = result;
    await sleep(random() * 4);
    const read = async (url: string): Promise<string> => {
      const reply = await modern(url, 'tasks/get', { taskId });
      const { status, result: outcome } = reply.result;
      return JSON.stringify([status, outcome]);
    };
    const cancelling = Promise.all(urls.map(async (url) => modern(url, 'tasks/cancel', { taskId })));
    const seen = new Set<string>();
    const note = async (url: string): Promise<void> => void seen.add(await read(url));
    await Promise.all([...urls.map(note), cancelling]);
    for (const url of urls) await note(url);
    const final = [...seen].filter((state) => !state.includes('working'));
    assert.equal(final.length, 1, `${taskId}: ${[...seen].join(' ')}`);
    const [status] = JSON.parse(final[0]!) as [string];
    ends.set(status, (ends.get(status) ?? 0) + 1);
  }
  for (const [end, count] of ends) t.diagnostic(`${end}: ${count}`);
  assert.deepEqual([...ends.keys()].toSorted(), ['cancelled', 'completed']);
});

/** The moments at which a process that creates a task is killed, by the key that it has just written or is about to write. */
const MOMENTS = [
  { when: 'before', key: 'task-lease/', isStored: false },
  { when: 'after', key: 'task-lease/', isStored: false },
  { when: 'after', key: 'task-open/', isStored: false },
  { when: 'before', key: 'task/', isStored: false },
  { when: 'after', key: 'task/', isStored: true },
] as const;

for (const { when, key, isStored } of MOMENTS)
  test(`[F-56] a process that is killed ${when} it stores '${key}' of a new task leaves ${isStored ? 'a task that ends' : 'nothing that can be seen'}`, async () => {
    for (let round = 0; round < rounds(1, 50); round++) {
      const place = newPlace(150);
      const dying = place.start(`${when} ${key}`);
      const args = { name: 'job', before: 0 };
      await assert.rejects(modern(await dying.url, 'tools/call', { name: 'work', arguments: args }), 'no id is sent');
      await dying.ended;
      await using store = await openStore(place.address);
      const leases = async (): Promise<number> => (await store.keys('task-lease/', undefined, 5)).length;
      await until(async () => (await leases()) === 0, 'its lease is over');
      // A new process looks for tasks whose processes have ended.
      const next = place.start();
      await next.url;
      const keys = await store.keys('task/', undefined, 5);
      assert.equal(keys.length, isStored ? 1 : 0);
      if (isStored)
        await until(async () => ((await store.get(keys[0]!)) as { state: string }).state === 'ended', 'it has ended');
      assert.equal(place.effects().size, 0, 'nothing was done');
      await next.kill();
    }
  });

test('[F-60] a task whose time to live is over fails while it runs; later it is gone, and its room is used again', async () => {
  const clock = { now: Date.now() };
  const { address } = newPlace();
  const store = await openStore(address, { now: () => clock.now });
  /** Ends the handlers that run: they do not stop by themselves. */
  const releases: (() => void)[] = [];
  const app = server({
    name: 'durable',
    version: '1.0.0',
    tools: {
      endless: tool({ taskSupport: 'optional' }, async () => {
        await new Promise<void>((resolve) => void releases.push(resolve));
        return 'too late';
      }),
      large: tool({ taskSupport: 'optional' }, () => 'x'.repeat(20_000)),
    },
  });
  const served = await serveHttp(app, { port: 0, signals: false, store, limits: { taskMs: 100, tasks: 40 } });
  const start = async (name: string): Promise<string> => {
    let id: string | undefined;
    // Runs that have ended make room soon.
    await until(async () => {
      id = (await modern(served.url, 'tools/call', { name, arguments: {} })).result?.taskId;
      return id !== undefined;
    });
    return id!;
  };
  const get = async (taskId: string): Promise<Reply> => modern(served.url, 'tasks/get', { taskId });
  const sizes: number[] = [];
  for (let round = 0; round < rounds(3, 40); round++) {
    const endless = await Promise.all(Array.from({ length: 30 }, () => start('endless')));
    const large = await Promise.all(Array.from({ length: 10 }, () => start('large')));
    for (const id of endless) {
      await until(async () => (await get(id)).result.status === 'failed');
      assert.match((await get(id)).result.error.message, /did not end within its time to live of 100 ms/);
    }
    for (const id of large) await until(async () => (await get(id)).result.status !== 'working');
    for (const release of releases.splice(0)) release();
    // A minute after its time to live it is gone, and so is everything about it.
    clock.now += 61_000;
    for (const id of [...endless, ...large]) assert.match((await get(id)).error!.message, /There is no task/);
    await sweepStore(address);
    for (const prefix of ['task/', 'task-open/', 'task-lease/'])
      assert.deepEqual(await store.keys(prefix, undefined, 5), []);
    sizes.push(statSync(address.replace('sqlite:', '')).size);
  }
  // At most 40 tasks run at a time, so all of them have made room in the process, too.
  assert.ok(sizes.at(-1)! <= sizes[1]! * 1.2, `the file grew: ${sizes.join(', ')}`);
  await served.close();
  await store.close();
});
