// Checks the architecture page against real calls: each must enter the modules that the page lists, in that order.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { root } from './lib/files.ts';

const SOURCES = 'packages/sdk/src/';

/** One row of the table: the modules of a step. */
interface Step {
  readonly everywhere: readonly string[];
  readonly overHttp: readonly string[];
  readonly onChannel: readonly string[];
}

function modulesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+\.ts)`/g)].map(([, path]) => path!);
}

/** The steps of the page, in order. */
function readSteps(): readonly Step[] {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const rows = page.matchAll(/^\| \d+ \|[^|]*\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm);
  return [...rows].map(([, everywhere, overHttp, onChannel]) => ({
    everywhere: modulesIn(everywhere!),
    overHttp: modulesIn(overHttp!),
    onChannel: modulesIn(onChannel!),
  }));
}

/** The modules that a warm call enters, in that order. The vocabulary in `protocol/` is left out, because every module uses it. */
function followCall(kind: string): readonly string[] {
  const script = join(root, 'scripts/trace-call.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, kind, '--list'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const places = stdout.matchAll(/ {2}(\S+):\d+$/gm);
  const modules = new Set([...places].map(([, file]) => file!.slice(SOURCES.length)));
  return [...modules].filter((module) => !module.startsWith('protocol/'));
}

for (const [kind, where] of [
  ['modern', 'overHttp'],
  ['stdio', 'onChannel'],
] as const)
  test(`a call (${kind}) goes through the modules of the architecture page, step by step`, () => {
    const steps = readSteps();
    assert.ok(steps.length > 5 && steps.length <= 12, `the page has ${steps.length} steps`);
    const entered = followCall(kind);
    const named = new Set(steps.flatMap((step) => [...step.everywhere, ...step[where]]));
    assert.deepEqual([...named].toSorted(), entered.toSorted());
    // A step begins when the first module of its cell is entered. The others may have been entered in an earlier step.
    const begins = steps
      .map((step) => [...step.everywhere.slice(0, 1), ...step[where].slice(0, 1)])
      .filter((first) => first.length > 0)
      .map((first) => Math.min(...first.map((module) => entered.indexOf(module))));
    assert.deepEqual(
      begins,
      begins.toSorted((a, b) => a - b),
      `the steps begin in another order: ${entered.join(' ')}`,
    );
  });
