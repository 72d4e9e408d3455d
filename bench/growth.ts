// How the cost of one thing changes with how many there are: of tools, sessions, streams, watches, kilobytes and events. It has to stay what
// it is: a cost that grows with the size is a defect.
//   npm run bench -- growth [--rounds=3 --node=20,24 --only=progress --most=1000 --out=growth.json]
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { environment } from './environment.ts';
import { type Curve, curves } from './growth/curves.ts';
import { install } from './install.ts';
import { findNodes, type Runtime } from './nodes.ts';
import { type GrowthLine, type GrowthResults, median, printedGrowth } from './results.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    node: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    most: { type: 'string' },
    out: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
/** Sizes above this are left out. */
const most = Number(values.most ?? Number.POSITIVE_INFINITY);
const ENOUGH_ROUNDS = 3;

install();
const nodes = findNodes(values.node);
const lines: GrowthLine[] = [];
const failures: string[] = [];

/** The costs of a curve by their names, each with one value for each size. */
async function measure({ sizes, measure }: Curve, node: Runtime): Promise<Map<string, GrowthLine['points'][number][]>> {
  const costs = new Map<string, { size: number; value: number }[]>();
  for (const size of sizes.filter((size) => size <= most)) {
    const found: Readonly<Record<string, number>>[] = [];
    for (let round = 0; round < rounds; round++) found.push(await measure(size, node.path));
    for (const cost of Object.keys(found[0] ?? {})) {
      const value = median(found.map((each) => each[cost]!));
      costs.set(cost, [...(costs.get(cost) ?? []), { size, value }]);
    }
  }
  return costs;
}

const made = environment();
function write(complete: boolean): void {
  const smoke = rounds < ENOUGH_ROUNDS || values.most !== undefined;
  const results: GrowthResults = { format: 1, ...made, rounds, smoke, complete, lines, failures };
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(results, undefined, 1)}\n`);
}

const began = performance.now();
for (const curve of curves.filter(({ title }) => title.startsWith(values.only)))
  for (const node of nodes) {
    try {
      const costs = await measure(curve, node);
      const found = [...costs].map(([cost, points]): GrowthLine => ({
        title: curve.title,
        cost,
        node: node.version,
        unit: cost.startsWith('heap') ? 'bytes' : 'µs',
        points,
      }));
      lines.push(...found);
      console.log(`\n${printedGrowth(found)}`);
    } catch (error) {
      failures.push(`${curve.title}, Node ${node.version.slice(1)}, ${(error as Error).message}`);
      console.error(`\nFAILED ${failures.at(-1)}`);
    }
    write(false);
  }
write(failures.length === 0 && values.only === '');
console.log(`\nIn ${Math.round((performance.now() - began) / 60_000)} minutes.`);
process.exitCode = failures.length === 0 ? 0 : 1;
