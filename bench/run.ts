// The benchmarks by name: `npm run bench` measures Tenon beside others, `npm run bench -- growth` how costs grow with sizes, and
// `npm run bench -- page results.json growth.json` writes the figures into docs/performance.md, with its charts.
import process from 'node:process';

const [name = ''] = process.argv.slice(2);
if (name === 'growth' || name === 'page') process.argv.splice(2, 1);
await (name === 'growth' ? import('./growth.ts') : name === 'page' ? import('./page.ts') : import('./compare.ts'));
