// Side by side: the same load on a raw loop, on a server written by hand, on Tenon and on others, in turns, several rounds. Compare ratios:
// absolute times of a shared machine say little.
//   npm run bench [-- --rounds=3 --calls=20000 --node=20,24 --only=http --load=echo --servers=raw,ceiling,tenon --out=results.json]
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { type Comparison, comparisonsOf } from './cases.ts';
import { busyNow, environment } from './environment.ts';
import { install } from './install.ts';
import { findNodes } from './nodes.ts';
import { printed, type Results, rowsOf, type Sample, type Table } from './results.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    calls: { type: 'string', default: '20000' },
    node: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    load: { type: 'string', default: '' },
    servers: { type: 'string', default: '' },
    out: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);
/** Fewer of them show that everything runs, and nothing else. */
const ENOUGH = { rounds: 3, calls: 20_000 };
install();
const nodes = findNodes(values.node);

const failures: string[] = [];
const tables: Table[] = [];

/** Measures all servers on all Nodes in turns. Each round begins with another server. One that fails is out of this comparison. */
async function compare({ title, servers, unit, floor, ceiling, run }: Comparison): Promise<void> {
  const wanted = values.servers === '' ? servers : servers.filter((name) => values.servers.split(',').includes(name));
  if (wanted.length === 0) return;
  const busy = await busyNow();
  const found = nodes.map((node) => ({ node, samples: new Map<string, Sample[]>(wanted.map((name) => [name, []])) }));
  for (let round = 0; round < rounds; round++)
    for (const { node, samples } of found)
      for (const server of [...samples.keys()].map((_, index, all) => all[(index + round) % all.length]!))
        try {
          samples.get(server)!.push(await run(server, node.path));
        } catch (error) {
          samples.delete(server);
          failures.push(`${title}, Node ${node.version.slice(1)}, ${(error as Error).message}`);
          console.error(`\nFAILED ${failures.at(-1)}`);
        }
  for (const { node, samples } of found) {
    const rows = rowsOf(samples, { floor, ceiling });
    const bounds = { floor, ceiling };
    const table: Table = { title, node: node.version, unit, ...bounds, rows, busy };
    tables.push(table);
    console.log(`\n${printed(table)}`);
  }
}

const made = environment();
function resultsSoFar(complete: boolean): Results {
  return {
    format: 1,
    ...made,
    rounds,
    calls,
    smoke: rounds < ENOUGH.rounds || calls < ENOUGH.calls,
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
