// All static checks: types, lint, format, imports, unused exports, doc comments, packages, file sizes.
// `npm run check -- types imports` runs only the named steps.

import { checkDocumentedExports } from './lib/documented-exports.ts';
import { checkFileSizes } from './lib/file-sizes.ts';
import { filesUnder, root } from './lib/files.ts';
import { checkLockfiles } from './lib/lockfile.ts';
import { checkPackages } from './lib/packages.ts';
import { checkPortable } from './lib/portable.ts';
import { checkRevisions } from './lib/revisions.ts';
import { runTool } from './lib/tools.ts';
import { checkImports } from './lib/import-rules.ts';

/** A step returns the problems found; a tool that prints its own findings returns one line that says it failed. */
type Step = () => string[] | Promise<string[]>;

function tool(name: string, args: string[], command?: string): string[] {
  const { status } = runTool(name, args, { command });
  return status === 0 ? [] : [`${command ?? name} ${args.join(' ')} failed`];
}

async function imports(): Promise<string[]> {
  const { modules, violations } = await checkImports(root);
  const files = filesUnder('packages').filter((path) => /^packages\/[^/]+\/(?:src|test)\/.*\.ts$/.test(path));
  // Without a TypeScript API that it supports, dependency-cruiser reads no TypeScript at all and reports no problems.
  const blind = modules < files.length || files.length === 0;
  return blind ? [`dependency-cruiser read ${modules} of ${files.length} files`, ...violations] : violations;
}

function sizes(): string[] {
  const { notes, problems } = checkFileSizes(root);
  for (const note of notes) console.log(`  long: ${note}`);
  return problems;
}

/** Published code is compiled with only the library of the oldest supported Node; the SDK is compiled by its build. */
const projects = [
  'packages/sdk',
  'packages/auth-proxy',
  'packages/store',
  'packages/skills',
  'packages/values',
  'packages/host',
  'packages/inspector',
  'packages/inspector/ui',
  'packages/cli',
  'packages/cli/tsconfig.build.json',
  'examples/habits/page',
  'site',
  '.',
];

const steps = new Map<string, Step>([
  ['types', () => projects.flatMap((path) => tool('typescript7', ['-p', path], 'tsc'))],
  ['lint', () => tool('oxlint', ['--deny-warnings'])],
  ['format', () => tool('oxfmt', ['--check'])],
  ['imports', imports],
  ['revisions', () => checkRevisions(root)],
  ['portable', () => checkPortable(root)],
  ['lockfiles', () => checkLockfiles(root)],
  ['unused', () => tool('knip', ['--no-progress'])],
  ['documented', () => checkDocumentedExports(root)],
  ['packages', checkPackages],
  ['sizes', sizes],
]);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !steps.has(name));
if (unknown.length > 0) {
  console.error(`Unknown step ${unknown.join(', ')}. Steps: ${[...steps.keys()].join(', ')}.`);
  process.exit(2);
}

let failed = 0;
for (const [name, step] of steps) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const started = performance.now();
  const problems = await step();
  const time = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${time})`);
  for (const problem of problems) console.log(`  ${problem.replaceAll('\n', '\n  ')}`);
  if (problems.length > 0) failed += 1;
}
console.log(failed === 0 ? 'Every check passed.' : `${failed} checks failed.`);
process.exitCode = failed === 0 ? 0 : 1;
