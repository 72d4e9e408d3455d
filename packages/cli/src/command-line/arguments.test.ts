import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import { buildCallArguments, parseJsonArgument, buildTextArguments, parseArguments } from './arguments.ts';
import { Failure } from '../failure/failure.ts';
import { readTextFile } from '../failure/file-failures.ts';

const schema = {
  type: 'object',
  $defs: { count: { type: 'integer' }, self: { $ref: '#/$defs/self' }, 'a/b': { type: 'boolean' } },
  properties: {
    text: { type: 'string' },
    number: { type: 'number' },
    integer: { type: 'integer' },
    yes: { type: 'boolean' },
    nothing: { type: 'null' },
    object: { type: 'object' },
    list: { type: 'array' },
    count: { $ref: '#/$defs/count' },
    escaped: { $ref: '#/$defs/a~1b' },
    maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    either: { type: ['boolean', 'number'] },
    textOrNumber: { type: ['number', 'string'] },
    choice: { enum: [1, 2, true] },
    fixed: { const: 7 },
    all: { allOf: [{ minimum: 0 }, { type: 'number' }] },
    self: { $ref: '#/$defs/self' },
    open: {},
    anything: true,
    half: { anyOf: [{ type: 'integer' }, {}] },
  },
};

/** The arguments that are sent for words on the command line. */
function sent(words: string[], all?: string): string {
  return JSON.stringify(buildCallArguments(parseArguments(words), all, schema));
}

function failure(run: () => unknown): Failure {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof Failure);
    assert.equal(error.exit, 2);
    return error;
  }
  return assert.fail('no failure');
}

test('text is converted to the type of the schema', () => {
  const cases: [string, string][] = [
    ['text=true', '"true"'],
    ['text=1', '"1"'],
    ['text=', '""'],
    ['text=a=b', '"a=b"'],
    ['number=1.5', '1.5'],
    ['number=9007199254740993', '9007199254740993'],
    ['number=1e400', '1e400'],
    ['integer=-3', '-3'],
    ['integer=9007199254740993', '9007199254740993'],
    ['integer=1.0', '1'],
    ['yes=true', 'true'],
    ['yes=false', 'false'],
    ['nothing=null', 'null'],
    ['object={"a":9007199254740993}', '{"a":9007199254740993}'],
    ['list=[1,"2"]', '[1,"2"]'],
    ['count=5', '5'],
    ['escaped=true', 'true'],
    ['maybe=5', '5'],
    ['maybe=null', 'null'],
    ['either=true', 'true'],
    ['either=2', '2'],
    ['choice=2', '2'],
    ['fixed=7', '7'],
    ['all=2', '2'],
  ];
  for (const [word, value] of cases) assert.equal(sent([word]), `{"${word.split('=')[0]}":${value}}`, word);
});

test('text stays text if the schema allows text or declares no type', () => {
  for (const name of ['textOrNumber', 'open', 'anything', 'half', 'self', 'unknown', 'toString']) {
    assert.equal(sent([`${name}=1`]), `{"${name}":"1"}`);
  }
  assert.equal(JSON.stringify(buildCallArguments(parseArguments(['a=1']), undefined, undefined)), '{"a":"1"}');
});

test('text that cannot be converted without loss is a usage failure', () => {
  const words = [
    'number=x',
    'number=',
    'number=NaN',
    'number=0x10',
    'number= 1',
    'integer=1.5',
    'yes=1',
    'yes=True',
    'nothing=',
    'object=[1]',
    'object=x',
    'list={}',
    'maybe=x',
    'choice=x',
  ];
  for (const word of words) {
    const { code, message, details } = failure(() => sent([word]));
    assert.equal(code, 'bad_argument', word);
    assert.match(message, new RegExp(`^${word.split('=')[0]} must be `));
    assert.match(details.fix!, /:=json/);
  }
});

test('JSON is sent unchanged, whatever the schema says', () => {
  assert.equal(
    sent(['text:=5', 'integer:="x"', 'yes:=[9007199254740993]']),
    '{"text":5,"integer":"x","yes":[9007199254740993]}',
  );
});

test('an argument may be called __proto__', () => {
  assert.equal(sent(['__proto__=1', 'constructor:=2']), '{"__proto__":"1","constructor":2}');
  assert.equal(sent([], '{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}');
});

test('--args gives all arguments, and others can be added', () => {
  assert.equal(
    sent(['yes=true'], '{"text":"x","n":12345678901234567890}'),
    '{"text":"x","n":12345678901234567890,"yes":true}',
  );
});

test('a contradictory command line is a usage failure', () => {
  for (const words of [
    ['x'],
    ['=x'],
    [':=1'],
    ['a=1', 'a=2'],
    ['a:=1', 'a=2'],
    ['a:=x'],
    ['a:='],
    ['a:=@/does/not/exist'],
  ])
    failure(() => sent(words));
  for (const all of ['[]', '1', 'null', 'x', '']) failure(() => sent([], all));
  failure(() => sent(['text=1'], '{"text":2}'));
  failure(() => buildTextArguments(parseArguments(['a:=1'])));
});

test('JSON may come from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-'));
  try {
    const path = join(folder, 'a.json');
    writeFileSync(path, '\ufeff{"a": 9007199254740993}\n');
    assert.equal(JSON.stringify(parseJsonArgument(`@${path}`, 'x')), '{"a":9007199254740993}');
    assert.equal(sent([`object:=@${path}`]), '{"object":{"a":9007199254740993}}');
    assert.equal(sent([], `@${path}`), '{"a":9007199254740993}');
    // With `=` it is text, even if it begins with an at sign.
    assert.equal(sent(['text=@x']), '{"text":"@x"}');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a schema that branches endlessly is visited only up to a limit', () => {
  const branch = { anyOf: Array.from({ length: 50 }, () => ({ $ref: '#/properties/a' })) };
  const given = withinCpuMs(1_000, () =>
    buildCallArguments(parseArguments(['a=1']), undefined, { properties: { a: branch } }),
  );
  assert.deepEqual(given, { a: '1' });
});

test('a file that is not UTF-8 is refused, and not repaired', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-arguments-'));
  const path = join(folder, 'latin1.json');
  try {
    writeFileSync(path, Buffer.from('{"name":"caf\xe9"}', 'latin1'));
    assert.throws(() => parseJsonArgument(`@${path}`, 'x'), /Cannot read .*latin1\.json: it is not UTF-8/);
    assert.throws(() => readTextFile(path), /latin1\.json cannot be used: it is not UTF-8/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
