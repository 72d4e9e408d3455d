import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { makeSessionFolder } from './session-folder.ts';

test('the trace of an inspector that was killed is removed from the folder of temporary files', (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'tenon-sweep-'));
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  const dead = spawnSync(process.execPath, ['--version']).pid;
  const left = join(parent, `tenon-inspect-${dead}-abc`);
  const others = [join(parent, `tenon-inspect-${process.pid}-abc`), join(parent, 'tenon-inspect-x')];
  for (const folder of [left, ...others]) mkdirSync(folder);
  const made = makeSessionFolder(parent);
  assert.equal(existsSync(left), false);
  for (const folder of [made, ...others]) assert.ok(existsSync(folder), folder);
});
