// Decides which test files share a process. Starting a process and loading the packages takes longer than most test files.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './files.ts';

/** A test file with a line that starts like this, followed by the reason, gets its own process. */
const ALONE = /^\/\/ A process of its own: ./m;

interface Group {
  readonly name: string;
  readonly files: RegExp;
  /** The number of processes that the files are spread over. Default: 1. */
  readonly processes?: number;
}

/** The slowest groups come first. A file in no group has its own process. */
const GROUPS: readonly Group[] = [
  { name: 'browser', files: /^packages\/inspector\/test\/browser\//, processes: 2 },
  { name: 'host-peers', files: /^packages\/host\/test\//, processes: 2 },
  { name: 'cli-peers', files: /^packages\/cli\/test\//, processes: 4 },
  { name: 'sdk-suite', files: /^packages\/sdk\/test\/suite\// },
  { name: 'sdk-peers', files: /^packages\/sdk\/test\/(protocol|http|http-client|trace|auth|untrusted)\// },
  { name: 'interop', files: /^packages\/sdk\/test\/(?:interop\/|oracle\/|error-codes\/|[^/]+$)/, processes: 2 },
  { name: 'inspector-peers', files: /^packages\/inspector\/test\/(?:fixtures\/)?[^/]+$/, processes: 2 },
  { name: 'servers', files: /^(?:servers|examples|packages\/auth-proxy)\//, processes: 6 },
  { name: 'inspector', files: /^packages\/inspector\/(src|ui)\// },
  { name: 'sdk', files: /^packages\/sdk\/src\// },
  { name: 'host', files: /^packages\/(host|cli|values)\/src\// },
];

/** A process: the file that it runs, and the paths of the test files in it. */
export interface TestProcess {
  readonly file: string;
  readonly paths: readonly string[];
}

/** The test file that a group was loading or running when its process ended. */
export function lastOf(groupFile: string): string | undefined {
  return existsSync(currentOf(groupFile)) ? readFileSync(currentOf(groupFile), 'utf8') : undefined;
}

function currentOf(groupFile: string): string {
  return `${groupFile}.current`;
}

/** Spreads test files over processes. The files of a group come first. */
export function testProcesses(paths: readonly string[]): readonly TestProcess[] {
  // Another run may be active at the same time.
  const folder = join(root, 'node_modules', '.cache', 'test-groups', String(process.pid));
  mkdirSync(folder, { recursive: true });
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const alone = new Set(paths);
  const groups = GROUPS.flatMap(({ name, files, processes = 1 }) => {
    const members = paths.filter((path) => files.test(path) && !ALONE.test(readFileSync(join(root, path), 'utf8')));
    return spread(members, processes).map((part, at) => ({ file: join(folder, `${name}-${at + 1}.mjs`), paths: part }));
  }).filter((group) => group.paths.length > 1);
  for (const { file, paths: members } of groups) {
    writeFileSync(file, groupModule(members, currentOf(file)));
    for (const path of members) alone.delete(path);
  }
  return [...groups, ...[...alone].map((path) => ({ file: join(root, path), paths: [path] }))];
}

/** Splits the files into parts of about the same size in bytes. */
function spread(paths: readonly string[], count: number): readonly (readonly string[])[] {
  const parts = Array.from({ length: count }, () => ({ bytes: 0, paths: [] as string[] }));
  const sizes = paths.map((path) => ({ path, bytes: statSync(join(root, path)).size }));
  for (const { path, bytes } of sizes.toSorted((a, b) => b.bytes - a.bytes)) {
    const least = parts.reduce((a, b) => (b.bytes < a.bytes ? b : a));
    least.bytes += bytes;
    least.paths.push(path);
  }
  return parts.map((part) => part.paths.toSorted());
}

function groupModule(paths: readonly string[], current: string): string {
  const urlOf = (path: string): string => pathToFileURL(join(root, path)).href;
  const files = paths.map((path) => ({ path, url: urlOf(path) }));
  return [
    `import { runTogether } from ${JSON.stringify(urlOf('scripts/test-group.mjs'))};`,
    `runTogether(${JSON.stringify(files, undefined, 2)}, ${JSON.stringify(current)});`,
    '',
  ].join('\n');
}
