// Writes the figures of a run into docs/performance.md, between its markers, and draws the charts. Every figure there comes from a file.
//   npm run bench -- page results.json growth.json
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chartOf } from './chart.ts';
import { type Blocks, blocksOf } from './page-blocks.ts';
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

/** Puts the blocks between their markers. A marker without a block is an error, and so is a block without a marker. */
function filled(text: string, blocks: Blocks): string {
  const left = new Set(blocks.keys());
  const page = text.replaceAll(/(<!-- figures: (\w+) -->\n)[^]*?(<!-- \/figures -->)/g, (_, begin, name, end) => {
    const block = blocks.get(name as string) ?? fail(`${pagePath} has a marker for '${name}', which no run gives`);
    left.delete(name as string);
    return `${begin}\n${block}\n\n${end}`;
  });
  return left.size === 0 ? page : fail(`${pagePath} has no marker for ${[...left].join(', ')}`);
}

const [resultsPath, growthPath] = process.argv.slice(2);
if (resultsPath === undefined || growthPath === undefined)
  fail('Name the files of both runs: npm run bench -- page results.json growth.json');
const results = readRun<Results>(resultsPath);
const growth = readRun<GrowthResults>(growthPath);
const nodes = [...new Set(results.tables.map(({ node }) => node))];

const pictures = nodes.map((node) => ({ node, path: `images/performance-node-${node.slice(1).split('.')[0]}.svg` }));
const page = filled(readFileSync(pagePath, 'utf8'), blocksOf(results, growth, pictures));
for (const { node, path } of pictures) writeFileSync(fileURLToPath(new URL(path, docs)), chartOf(results, node));
writeFileSync(pagePath, page);
console.log(`Wrote ${pagePath} and ${pictures.length} charts`);
