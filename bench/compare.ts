// Side by side: the same load on a raw loop, on a server written by hand, on Tenon and on others, in many short turns. Compare ratios:
// absolute times of a shared machine say little.
//   npm run bench [-- --turns=15 --calls=20000 --node=20,24 --only=http --load=echo --servers=raw,ceiling,tenon --out=results.json]
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { type Comparison, comparisonsOf, TURNS, type Turns } from './cases.ts';
import { busyNow, environment } from './environment.ts';
import { install } from './install.ts';
import { findNodes, type Runtime } from './nodes.ts';
import { useOneCore } from './one-core.ts';
import { printed, type Results, rowsOf, type Sample, type Table } from './results.ts';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: String(TURNS) },
    calls: { type: 'string', default: '20000' },
    node: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    load: { type: 'string', default: '' },
    servers: { type: 'string', default: '' },
    out: { type: 'string' },
  },
});
const turns = Number(values.turns);
const calls = Number(values.calls);
/** Fewer of them show that everything runs, and nothing else. */
const ENOUGH = { turns: TURNS, calls: 20_000 };
install();
const nodes = findNodes(values.node);

const failures: string[] = [];
const tables: Table[] = [];

/** How many times each server is started for its turns. The same program may be compiled differently each time, which changes its cost by a tenth. */
const STARTS = 3;

/** Measures servers on one Node. All of them run while they take their turns; one that fails is out of this comparison. */
async function takeTurns(
  comparison: Comparison,
  servers: readonly string[],
  node: Runtime,
): Promise<Map<string, Sample[]>> {
  const { title, open } = comparison;
  const samples = new Map<string, Sample[]>(servers.map((name) => [name, []]));
  const attempt = async (server: string, what: () => Promise<void>): Promise<void> => {
    try {
      await what();
    } catch (error) {
      samples.delete(server);
      failures.push(`${title}, Node ${node.version.slice(1)}, ${(error as Error).message}`);
      console.error(`\nFAILED ${failures.at(-1)}`);
    }
  };
  const takeSome = async (from: number, to: number): Promise<void> => {
    const opened = new Map<string, Turns>();
    try {
      for (const server of samples.keys())
        await attempt(server, async () => void opened.set(server, await open(server, node.path)));
      // A turn before the first that counts, if starting the others took a while: connections may have been closed since.
      for (let turn = comparison.turns === undefined ? from - 1 : from; turn < to; turn++)
        for (const server of [...samples.keys()].map((_, index, all) => all[(index + turn + all.length) % all.length]!))
          await attempt(server, async () => {
            const sample = await opened.get(server)!.measure();
            if (turn >= from) samples.get(server)!.push(sample);
          });
    } finally {
      for (const { close } of opened.values()) close();
    }
  };
  const count = Math.min(turns, comparison.turns ?? turns);
  const each = Math.ceil(count / (comparison.turns === undefined ? STARTS : 1));
  for (let from = 0; from < count; from += each) await takeSome(from, Math.min(from + each, count));
  return samples;
}

async function compare(comparison: Comparison): Promise<void> {
  const { title, servers, unit, floor, ceiling } = comparison;
  const wanted = values.servers === '' ? servers : servers.filter((name) => values.servers.split(',').includes(name));
  if (wanted.length === 0) return;
  const busy = await busyNow();
  const useAllCores = comparison.isSequential === true ? useOneCore() : () => {};
  try {
    for (const node of nodes) {
      const rows = rowsOf(await takeTurns(comparison, wanted, node), { floor, ceiling });
      const table: Table = { title, node: node.version, unit, floor, ceiling, rows, busy };
      tables.push(table);
      console.log(`\n${printed(table)}`);
    }
  } finally {
    useAllCores();
  }
}

const made = environment();
function resultsSoFar(complete: boolean): Results {
  return {
    format: 1,
    ...made,
    turns,
    calls,
    smoke: turns < ENOUGH.turns || calls < ENOUGH.calls,
    complete,
    tables,
    failures,
  };
}

/** Everything that is known is in the file after each comparison, whatever happens next. */
function write(complete: boolean): void {
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(resultsSoFar(complete), undefined, 1)}\n`);
}

const began = performance.now();
for (const comparison of comparisonsOf(calls)) {
  if (!comparison.title.startsWith(values.only) || !comparison.title.includes(values.load)) continue;
  await compare(comparison);
  write(false);
}
const whole = [values.only, values.load, values.servers].every((filter) => filter === '');
write(whole && failures.length === 0);
console.log(`\n${tables.length} tables in ${Math.round((performance.now() - began) / 60_000)} minutes.`);
for (const failure of failures) console.error(`FAILED ${failure}`);
process.exitCode = failures.length === 0 ? 0 : 1;
