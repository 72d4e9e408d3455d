import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { test } from 'node:test';

test('no code for OAuth is loaded with the host', () => {
  const note = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (/^(?:jose|oauth4webapi|ai)$/.test(name)) console.log(name);
      return next(name, context);
    } });`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(note)}`;
  const args = [preload, '--input-type=module', '--eval', "await import('@tenon/host')"];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' });
  assert.equal(stdout, 'ai\n', stderr);
});
