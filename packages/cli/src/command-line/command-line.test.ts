import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNumberOption, parseCommandLine, parsePort } from './command-line.ts';
import { Failure } from '../failure/failure.ts';

function parse(text: string) {
  return parseCommandLine(text.split(' '));
}
function message(text: string): string {
  try {
    parse(text);
  } catch (error) {
    assert.ok(error instanceof Failure);
    assert.equal(error.exit, 2);
    return `${error.message} ${error.details.fix ?? ''}`;
  }
  return assert.fail(`'${text}' was accepted`);
}

test('everything after -- is passed through unchanged', () => {
  const { words, target, given } = parse('call add -- node -e x --json -- --trace');
  assert.deepEqual(words, ['call', 'add']);
  assert.deepEqual(target, ['node', '-e', 'x', '--json', '--', '--trace']);
  assert.equal(given.size, 0);
});

test('a port is a number from 0 to 65535', () => {
  for (const [text, port] of [
    ['inspect', undefined],
    ['inspect --port 0', 0],
    ['inspect --port 65535', 65_535],
  ] as const)
    assert.equal(parsePort(parse(text), 'port'), port);
  for (const bad of ['65536', '--port=-1', '3.5', '1e3', 'x', '000001'])
    assert.throws(
      () => parsePort(parse(`inspect ${bad.startsWith('--') ? bad : `--port ${bad}`}`), 'port'),
      /--port must be a port, not '/,
    );
});

test('options may stand anywhere before it', () => {
  for (const text of [
    '--json call add --timeout 5 a=1 -- x',
    'call --timeout=5 add a=1 --json -- x',
    'call add a=1 --json --timeout 5 -- x',
  ]) {
    const line = parse(text);
    assert.deepEqual(line.words, ['call', 'add', 'a=1']);
    assert.deepEqual([...line.given].sort(), ['json', 'timeout']);
    assert.equal(line.value('timeout'), '5');
    assert.deepEqual(line.target, ['x']);
  }
});

test('an option may be given several times only if its table entry says so', () => {
  assert.deepEqual(parse('list --env A=1 --env B=2 -- x').values('env'), ['A=1', 'B=2']);
  assert.match(message('list --timeout 1 --timeout 2'), /--timeout is given twice/);
});

test('an unknown option is named, with the right one if it can be guessed', () => {
  assert.match(message('list --jsno -- x'), /no option --jsno Did you mean --json\?/);
  assert.match(message('list --colour red -- x'), /no option --colour .*after --/);
  assert.match(message('list -x'), /no option -x/);
});

test('a forgotten value does not consume the next option', () => {
  assert.match(message('list --timeout --json -- x'), /--timeout needs a value .*--timeout=--json/);
  assert.match(message('list --timeout'), /--timeout needs a value: --timeout <ms>/);
  assert.match(message('list --json=yes'), /--json takes no value/);
  assert.equal(parse('raw --frame=--x').value('frame'), '--x');
});

test('there is no target without --', () => {
  assert.equal(parse('list node server.js').target, undefined);
  assert.deepEqual(parse('list --').target, []);
});

test('numbers are positive and whole', () => {
  assert.equal(parseNumberOption(parse('list --timeout 250'), 'timeout'), 250);
  assert.equal(parseNumberOption(parse('list'), 'timeout'), undefined);
  for (const value of ['0', '-1', '1.5', 'x', '1e3', '99999999999']) {
    assert.throws(() => parseNumberOption(parse(`list --timeout=${value}`), 'timeout'), Failure);
  }
});
