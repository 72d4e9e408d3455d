// What sessions and tasks cost once there are many of them: time for each operation, and room in the store.

import { inspectStore, openStore, sweepStore } from '@tenon/store';
import { type Engine, type EngineName, ENGINES } from './engines.ts';
import { figure, many, type Nodes, resultOf, withNodes } from './load.ts';

const SESSIONS = [100, 1_000, 10_000];
const TASKS = [1_000, 10_000, 100_000];
const VALUES = [1_000, 10_000, 100_000];
const USERS = 40;
/** How often an operation is measured; the median counts. */
const SAMPLES = 200;

/** The median time of an operation, in microseconds. `at` counts the samples. */
async function medianOf(work: (at: number) => unknown): Promise<string> {
  const times: number[] = [];
  for (let at = 0; at < SAMPLES; at++) {
    const began = performance.now();
    await work(at);
    times.push((performance.now() - began) * 1_000);
  }
  return figure(times.toSorted((a, b) => a - b)[SAMPLES / 2]!);
}

function printRow(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.map((cell) => (typeof cell === 'number' ? figure(cell) : cell)).join(' | ')} |`);
}

function printHead(cells: readonly string[]): void {
  console.log('');
  printRow(cells);
  console.log(`|${cells.map(() => '--:').join('|')}|`);
}

/** What the store has, and how many of it were there before. */
class Room {
  readonly #engine: Engine;
  readonly #store: string;
  #before = { rows: 0, bytes: 0 };

  constructor(engine: Engine, store: string) {
    this.#engine = engine;
    this.#store = store;
  }

  async begin(): Promise<void> {
    this.#before = await this.#now();
  }

  /** Rows, and bytes, for each of so many things that were added since the beginning. */
  async each(count: number): Promise<readonly [rows: string, bytes: number]> {
    const { rows, bytes } = await this.#now();
    return [((rows - this.#before.rows) / count).toFixed(1), (bytes - this.#before.bytes) / count];
  }

  async #now(): Promise<{ readonly rows: number; readonly bytes: number }> {
    const { values, logs } = await inspectStore(this.#store);
    return { rows: values + logs, bytes: await this.#engine.bytes() };
  }
}

async function growSessions(nodes: Nodes, room: Room): Promise<void> {
  printHead(['sessions', 'call in a session µs', 'beginning of a session µs', 'rows each', 'bytes each']);
  const sessions: string[] = [];
  await room.begin();
  for (const size of SESSIONS) {
    const from = sessions.length;
    await many(size - from, async () => void sessions.push(await nodes.begin()));
    const each = await room.each(size);
    const params = { name: 'echo', arguments: { text: 'hello' } };
    const call = await medianOf(async (at) =>
      resultOf(await nodes.inSession(sessions[(at * 331) % size]!, { method: 'tools/call', params })),
    );
    const begin = await medianOf(async () => void sessions.push(await nodes.begin()));
    printRow([size, call, begin, ...each]);
  }
}

async function growTasks(nodes: Nodes, room: Room, store: string): Promise<void> {
  printHead(['tasks', 'start µs', '`tasks/get` µs', '`tasks/list` µs', 'sweep ms', 'rows each', 'bytes each']);
  const tasks: { readonly taskId: string; readonly user: string }[] = [];
  // One user may not have all of the room.
  const begin = (user: string) => nodes.modern('tools/call', { name: 'work', arguments: { name: 'growth' } }, { user });
  const start = async (at: number): Promise<void> => {
    const user = `user ${at % USERS}`;
    const { taskId } = await begin(user);
    // Without waiting for its end, more of them would run than may.
    while ((await nodes.modern('tasks/get', { taskId }, { user })).status === 'working');
    tasks.push({ taskId, user });
  };
  const getTask = ({ taskId, user }: (typeof tasks)[number]) => nodes.modern('tasks/get', { taskId }, { user });
  const user = 'user 0';
  const session = await nodes.begin(user);
  await room.begin();
  for (const size of TASKS) {
    await many(size - tasks.length, start);
    const each = await room.each(size);
    const starting = await medianOf((at) => begin(`user ${at % USERS}`));
    const get = await medianOf((at) => getTask(tasks[(at * 331) % size]!));
    const list = await medianOf(async () =>
      resultOf(await nodes.inSession(session, { method: 'tasks/list', params: {} }, user)),
    );
    const began = performance.now();
    await sweepStore(store);
    printRow([size, starting, get, list, performance.now() - began, ...each]);
  }
}

async function growValues(address: string): Promise<void> {
  printHead(['values in the store', '`get` µs', '`set` µs', 'a page of 100 keys µs']);
  await using store = await openStore(address, { tenant: 'growth' });
  let filled = 0;
  for (const size of VALUES) {
    const from = filled;
    await many(size - from, async (at) => void (await store.set(`value/${from + at}`, { at: from + at }, 3_600_000)));
    filled = size;
    const get = await medianOf((at) => store.get(`value/${(at * 331) % size}`));
    const set = await medianOf((at) => store.set(`value/${(at * 331) % size}`, { at }, 3_600_000));
    const keys = await medianOf((at) => store.keys('value/', `value/${(at * 331) % size}`, 100));
    printRow([size, get, set, keys]);
  }
}

/** Prints what sessions, tasks and values cost on one engine while their number grows, as the tables of docs/scaling.md. */
export async function printGrowth(name: EngineName): Promise<void> {
  const engine = await ENGINES[name]({ isDirect: true });
  try {
    const { store } = engine;
    if (store === undefined) throw new Error('The memory of a node cannot be inspected from outside');
    console.log(name);
    const room = new Room(engine, store);
    await withNodes(engine, 1, (nodes) => growSessions(nodes, room));
    await withNodes(engine, 1, (nodes) => growTasks(nodes, room, store), { users: true });
    await growValues(store);
  } finally {
    await engine.delete();
  }
}
