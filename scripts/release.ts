// Checks whether a tag can be released, and with --publish publishes the packages: for the release workflow.
//   npm run release -- --tag=v0.1.0 [--publish]

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { root } from './lib/files.ts';
import { publishedPackages } from './lib/published.ts';
import { publishPackages, releaseProblems, setRepository } from './lib/publish.ts';

const { values } = parseArgs({ options: { tag: { type: 'string' }, publish: { type: 'boolean', default: false } } });
const tag = values.tag ?? `v${publishedPackages()[0]!.manifest.version}`;
const problems = releaseProblems({
  tag,
  manifests: publishedPackages().map(({ manifest }) => manifest),
  changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`${tag} cannot be released.`);
  process.exit(1);
}
console.log(`${tag} can be released: ${publishedPackages().length} packages.`);
if (values.publish) {
  const repository = process.env['GITHUB_REPOSITORY'];
  if (repository === undefined) {
    console.error('Only the release workflow publishes: npm trusts it, and nothing else.');
    process.exit(1);
  }
  setRepository(repository);
  publishPackages([], console.log);
}
