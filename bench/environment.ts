// Where and with what a run was made.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pinned } from './install.ts';
import type { Environment } from './results.ts';

/** How long it is watched what else the machine does, in milliseconds. */
const WATCH_MS = 500;

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
}

export function environment(): Environment {
  const { version } = JSON.parse(readFileSync(new URL('../packages/sdk/package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ', changed';
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString(),
    commit: `${git('rev-parse', '--short', 'HEAD')}${changed}`,
    machine: `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${memory} GB, ${process.platform} ${process.arch}`,
    versions: { tenon: version, ...pinned },
  };
}

function times(): { readonly idle: number; readonly all: number } {
  const each = cpus().map(({ times }) => times);
  const idle = each.reduce((sum, { idle }) => sum + idle, 0);
  return { idle, all: each.reduce((sum, { user, nice, sys, irq, idle }) => sum + user + nice + sys + irq + idle, 0) };
}

/** Part of the processors that is busy while nothing is measured. */
export async function busyNow(): Promise<number> {
  const before = times();
  await sleep(WATCH_MS);
  const after = times();
  return 1 - (after.idle - before.idle) / Math.max(after.all - before.all, 1);
}
