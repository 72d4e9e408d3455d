import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../failure/failure.ts';
import { createScreen } from './screen.ts';

function screenOn(terminals: { stdout?: boolean; stderr?: boolean }, format?: 'json' | 'text', quiet = false) {
  const written = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => (written[name] += text),
    isTTY: terminals[name] === true,
    columns: 0,
  });
  return { written, screen: createScreen({ stdout: sink('stdout'), stderr: sink('stderr'), format, quiet }) };
}

const result = { json: () => '{"a":1.10}', text: () => 'a \u001b[2J' };
const failure = new Failure('unreachable', 'server_exited', 'The server exited with code 3', {
  exitCode: 3,
  stderr: 'one\n\u001b[2Jtwo',
  fix: 'Start it.',
});

test('a result is JSON when piped and text on a terminal', () => {
  const piped = screenOn({});
  piped.screen.result(result);
  assert.equal(piped.written.stdout, '{"a":1.10}\n');
  const terminal = screenOn({ stdout: true });
  terminal.screen.result(result);
  assert.equal(terminal.written.stdout, 'a \\u001b[2J\n');
});

test('--json is indented, and --text escaped, only on a terminal', () => {
  const terminal = screenOn({ stdout: true }, 'json');
  terminal.screen.result(result);
  assert.equal(terminal.written.stdout, '{\n  "a": 1.10\n}\n');
  const piped = screenOn({}, 'text');
  piped.screen.result(result);
  assert.equal(piped.written.stdout, 'a \u001b[2J\n');
});

test('a failure does not repeat lines that were shown during the call', () => {
  const { screen, written } = screenOn({ stdout: true, stderr: true });
  screen.aside('| one');
  screen.aside('| \\u001b[2Jtwo');
  screen.failure(failure);
  assert.equal(written.stderr, '| one\n| \\u001b[2Jtwo\ntenon: The server exited with code 3\n  Start it.\n');
  const other = screenOn({ stdout: true, stderr: true });
  other.screen.aside('| one');
  other.screen.failure(failure);
  assert.match(other.written.stderr, /on stderr of the server:\n {2}\| one\n {2}\| \\u001b\[2Jtwo\n/);
});

test('a failure is one line of JSON unless everything is text on a terminal', () => {
  for (const [terminals, format] of [
    [{}, undefined],
    [{ stderr: true }, undefined],
    [{ stdout: true }, undefined],
    [{}, 'text'],
    [{ stdout: true, stderr: true }, 'json'],
  ] as const) {
    const { screen, written } = screenOn(terminals, format);
    screen.failure(failure);
    assert.deepEqual(JSON.parse(written.stderr), {
      error: {
        code: 'server_exited',
        exit: 4,
        message: 'The server exited with code 3',
        exitCode: 3,
        stderr: 'one\n\u001b[2Jtwo',
        fix: 'Start it.',
      },
    });
    assert.equal(written.stderr.trimEnd().split('\n').length, 1);
    assert.equal(written.stdout, '');
  }
});

test('a failure on a terminal is readable, and escaped', () => {
  const { screen, written } = screenOn({ stdout: true, stderr: true });
  screen.failure(failure);
  assert.equal(
    written.stderr,
    'tenon: The server exited with code 3\n  on stderr of the server:\n  | one\n  | \\u001b[2Jtwo\n  Start it.\n',
  );
});

test('progress is lines when piped', () => {
  const { screen, written } = screenOn({});
  screen.progress('progress 1/2');
  screen.progress('progress 2/2');
  assert.equal(written.stderr, 'progress 1/2\nprogress 2/2\n');
});

test('progress on a terminal is one line, updated at intervals, and erased before other output', () => {
  const { screen, written } = screenOn({ stdout: true, stderr: true });
  for (let i = 0; i < 5_000; i++) screen.progress(`progress ${i}\u001b[2J`);
  assert.ok(written.stderr.length < 5_000);
  assert.match(written.stderr, /^\r\u001b\[Kprogress 0\\u001b\[2J/);
  screen.line('next');
  assert.ok(written.stderr.endsWith('\r\u001b[Knext\n'));
});

test('--quiet leaves out warnings and progress, not failures', () => {
  const { screen, written } = screenOn({}, undefined, true);
  screen.warn('x');
  screen.progress('x');
  assert.equal(written.stderr, '');
  screen.failure(failure);
  assert.notEqual(written.stderr, '');
});

test('[A-85] a warning is one line without control characters', () => {
  const { screen, written } = screenOn({ stderr: true });
  screen.warn('a\u001b[2J\nb');
  assert.equal(written.stderr, 'tenon: warning: a\\u001b[2J\\nb\n');
});
