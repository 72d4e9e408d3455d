// The errors in docs/typescript.md are those of Node.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root } from './lib/files.ts';

const oldest = join(root, 'node_modules/node20-linux-x64/bin/node');
const skip = !existsSync(oldest) && 'npm has that Node for Linux on x64 only';
const page = readFileSync(join(root, 'docs/typescript.md'), 'utf8');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-typescript-')));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
writeFileSync(join(folder, 'math.ts'), 'export const one: number = 1;');
writeFileSync(join(folder, 'enums.ts'), 'enum Level { Low }\nconsole.log(Level.Low);');
writeFileSync(join(folder, 'awaits.js'), 'await 1;');
writeFileSync(join(folder, 'old.cjs'), "require('./awaits.js');");

/** The line of stderr with the error of a program. */
function errorOf(node: string, file: string): string {
  const { stderr } = spawnSync(node, [file], { cwd: folder, encoding: 'utf8' });
  return /^\w*Error \[\w+\]: .*$/m.exec(stderr)?.[0] ?? stderr;
}

/** The error that the page shows below a command. */
function shown(command: string): string {
  const lines = page.split('\n');
  return lines[lines.indexOf(`$ ${command}`) + 1] ?? '';
}

test('Node 20 does not run TypeScript, with the error that the page shows', { skip }, () => {
  assert.equal(errorOf(oldest, 'math.ts').replace(folder, '/home/me/my-server'), shown('node math.ts'));
});

test('Node reports TypeScript that it cannot run as the page shows', () => {
  assert.equal(errorOf(process.execPath, 'enums.ts'), shown('node enums.ts'));
});

test('a module with top-level await cannot be required', () => {
  assert.match(errorOf(process.execPath, 'old.cjs'), /ERR_REQUIRE_ASYNC_MODULE/);
  assert.match(page, /ERR_REQUIRE_ASYNC_MODULE/);
});
