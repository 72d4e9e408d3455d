// Writes the figures of a run into docs/performance.md, between its markers, and draws the charts. Every figure there comes from a file.
//   npm run bench -- page results.json growth.json (or one of them)
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chartOf } from './chart.ts';
import { type Blocks, comparisonBlocks, growthBlocks } from './page-blocks.ts';
import type { GrowthResults, Results } from './results.ts';

const docs = new URL('../docs/', import.meta.url);
const pagePath = fileURLToPath(new URL('performance.md', docs));

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

/** Reads a run; one that proves nothing is refused. */
function readRun<Run extends { smoke: boolean; complete: boolean }>(path: string): Run {
  if (!existsSync(path)) fail(`${path} does not exist`);
  const run = JSON.parse(readFileSync(path, 'utf8')) as Run;
  if (run.smoke) fail(`${path} is a run with few turns, calls or sizes: its figures mean nothing and are not written`);
  if (!run.complete) fail(`${path} is not complete: something was left out or has failed`);
  return run;
}

/** Puts the blocks between their markers. What no run gives stays as it is. A block without a marker is an error. */
function filled(text: string, blocks: Blocks): string {
  const left = new Set(blocks.keys());
  const page = text.replaceAll(/(<!-- figures: (\w+) -->\n)[^]*?(<!-- \/figures -->)/g, (whole, begin, name, end) => {
    const block = blocks.get(name as string);
    left.delete(name as string);
    return block === undefined ? whole : `${begin}\n${block}\n\n${end}`;
  });
  return left.size === 0 ? page : fail(`${pagePath} has no marker for ${[...left].join(', ')}`);
}

/** Draws the charts of a comparison, and gives its blocks. */
function comparisonWithCharts(results: Results): Blocks {
  const nodes = [...new Set(results.tables.map(({ node }) => node))];
  const pictures = nodes.map((node) => ({ node, path: `images/performance-node-${node.slice(1).split('.')[0]}.svg` }));
  for (const { node, path } of pictures) writeFileSync(fileURLToPath(new URL(path, docs)), chartOf(results, node));
  return comparisonBlocks(results, pictures);
}

const paths = process.argv.slice(2);
if (paths.length === 0) fail('Name the files of one or both runs: npm run bench -- page results.json growth.json');
const runs = paths.map((path) => readRun<Results | GrowthResults>(path));
const blocks = runs.map((run) => ('tables' in run ? comparisonWithCharts(run) : growthBlocks(run)));
writeFileSync(pagePath, filled(readFileSync(pagePath, 'utf8'), new Map(blocks.flatMap((each) => [...each]))));
console.log(`Wrote ${pagePath}`);
