import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowsProgram } from './windows.ts';

const env = { Path: 'C:\\Windows;C:\\node', SYSTEMROOT: 'C:\\Windows' };
function has(...paths: string[]) {
  return { exists: (path: string) => paths.includes(path.toLowerCase()) };
}

test('a program is started directly', () => {
  assert.deepEqual(windowsProgram('node', ['a b', '"'], env, has('c:\\node\\node.exe')), {
    file: 'C:\\node\\node.EXE',
    args: ['a b', '"'],
    verbatim: false,
  });
});

test('a script is run by cmd.exe, with correctly escaped arguments', () => {
  const { file, args, verbatim } = windowsProgram(
    'npx',
    ['-y', 'a b', '%PATH%', 'x"&y\\'],
    env,
    has('c:\\node\\npx.cmd'),
  );
  assert.equal(file, 'C:\\Windows\\System32\\cmd.exe');
  assert.equal(verbatim, true);
  assert.deepEqual(args.slice(0, 3), ['/d', '/s', '/c']);
  // The argument after cmd.exe has removed its carets, twice.
  const once = args[3]!.slice(1, -1).replace(/\^(.)/g, '$1');
  assert.equal(once.replace(/\^(.)/g, '$1'), 'C:\\node\\npx.CMD "-y" "a b" "%PATH%" "x\\"&y\\\\"');
  const bare = args[3]!.slice(1, -1).replace(/\^./g, '');
  assert.equal(bare, 'C:\\node\\npx.CMD -y ab PATH x\\y\\\\', 'nothing that cmd.exe reads is left bare');
});

test('an unknown name is left to the system, which reports the error', () => {
  assert.deepEqual(windowsProgram('nope', [], env, has()), { file: 'nope', args: [], verbatim: false });
});

test('a path is resolved in the working folder, not on PATH', () => {
  const found = windowsProgram('.\\bin\\run', [], env, { cwd: 'D:\\app', ...has('d:\\app\\bin\\run.bat') });
  assert.match(found.args[3]!, /D:\\app\\bin\\run\.BAT/);
});
