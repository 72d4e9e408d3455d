// Checks the length of source files: a file is one concept, about 250 lines; more than 400 lines need a reason in this file.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder } from './files.ts';

const notable = 250;
const most = 400;

/** Files that may be longer than 400 lines, with the reason. */
const reasons = new Map<string, string>([]);

export type SizeReport = { notes: string[]; problems: string[] };

export function checkFileSizes(baseDir: string): SizeReport {
  const report: SizeReport = { notes: [], problems: [] };
  const files = [
    'packages',
    'servers',
    'scripts',
    'examples',
    'bench',
    'cluster',
    'conformance',
    'runtimes',
    'model-libraries',
    'wild',
    'originals',
    'site',
    'release-trial',
  ].flatMap((folder) => filesUnder(folder, baseDir));
  for (const path of files.filter((name) => /\.(?:tsx?|mjs)$/.test(name))) {
    const lines = readFileSync(join(baseDir, path), 'utf8').split('\n').length - 1;
    if (lines <= notable) continue;
    const reason = reasons.get(path);
    // A long test file is only a note, because it consists of many independent tests.
    if (lines <= most || reason || path.endsWith('.test.ts'))
      report.notes.push(`${lines} ${path}${reason ? ` (${reason})` : ''}`);
    else report.problems.push(`${lines} ${path}: more than ${most} lines need a reason in scripts/lib/file-sizes.ts`);
  }
  return report;
}
