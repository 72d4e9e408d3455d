// What requests cost on clusters of different sizes: requests a second, and processor time of all nodes for each request.

import { type EngineName, ENGINES } from './engines.ts';
import { figure, many, type Nodes, resultOf, withNodes } from './load.ts';

const SIZES = [1, 2, 4];

/** A kind of work: makes one request or a few, at any of the nodes, and counts as one. */
interface Load {
  readonly name: string;
  readonly calls: number;
  run(nodes: Nodes, at: number): Promise<void>;
}

const LOADS: readonly Load[] = [
  {
    name: 'stateless call, 2026-07-28',
    calls: 10_000,
    run: async (nodes) => void (await nodes.modern('tools/call', { name: 'echo', arguments: { text: 'hello' } })),
  },
  {
    name: 'call in a session',
    calls: 5_000,
    async run(nodes, at) {
      const session = (nodes.sessions[at % 50] ??= await nodes.begin());
      const params = { name: 'echo', arguments: { text: 'hello' } };
      resultOf(await nodes.inSession(session, { method: 'tools/call', params }));
    },
  },
  { name: 'beginning of a session', calls: 1_000, run: async (nodes) => void (await nodes.begin()) },
  {
    name: 'task, from its start to its result',
    calls: 500,
    async run(nodes) {
      const { taskId } = await nodes.modern('tools/call', { name: 'work', arguments: { name: 'cost' } });
      for (;;) {
        const { status } = await nodes.modern('tasks/get', { taskId });
        if (status === 'completed') return;
        if (status !== 'working') throw new Error(`The task is ${status}`);
      }
    },
  },
];

/** Measures one load: requests a second, and microseconds of processor time of all nodes for each. */
async function measure(
  nodes: Nodes,
  { calls, run }: Load,
): Promise<{ readonly perSecond: number; readonly cpu: number }> {
  await many(Math.ceil(calls / 2), (at) => run(nodes, at));
  const before = await nodes.usage();
  const began = performance.now();
  await many(calls, (at) => run(nodes, at));
  const seconds = (performance.now() - began) / 1_000;
  return { perSecond: calls / seconds, cpu: ((await nodes.usage()) - before) / calls };
}

/** Prints what requests cost on one engine, as the tables of docs/scaling.md. */
export async function printCosts(name: EngineName): Promise<void> {
  const engine = await ENGINES[name]({ isDirect: true });
  try {
    // The memory of a node is its own.
    const sizes = engine.store === undefined ? [1] : SIZES;
    console.log(`${name}\n\n| | ${sizes.map((size) => `${size} node${size === 1 ? '' : 's'}`).join(' | ')} |`);
    console.log(`|---|${sizes.map(() => '--:').join('|')}|`);
    const rows = new Map<string, string[]>(LOADS.map((load) => [load.name, []]));
    for (const size of sizes)
      await withNodes(engine, size, async (nodes) => {
        for (const load of LOADS) {
          const { perSecond, cpu } = await measure(nodes, load);
          rows.get(load.name)!.push(`${figure(perSecond)}/s, ${figure(cpu)} µs`);
        }
      });
    for (const [row, cells] of rows) console.log(`| ${row} | ${cells.join(' | ')} |`);
  } finally {
    await engine.delete();
  }
}
