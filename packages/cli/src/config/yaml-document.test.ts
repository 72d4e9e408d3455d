import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocument } from './edit.ts';

const FIELDS = { cmd: 'new' };
function read(text: string) {
  return parseDocument(text, { syntax: 'yaml', member: 'extensions' });
}
async function without(text: string, name: string): Promise<string> {
  return (await read(text)).set(name, undefined);
}
async function withNew(text: string, name: string): Promise<string> {
  return (await read(text)).set(name, FIELDS);
}

const LED = `extensions:
  # leads a
  a:
    cmd: one
    # in a

  # leads b
    # more of it

# also leads b
  b:
    cmd: two
  # leads c
  c:
    cmd: three
# leads the model
GOOSE_MODEL: m
`;

test('comments of the next entry stay when the entry before it is removed', async () => {
  assert.equal(await without(LED, 'a'), LED.replace(/  a:[^]*# in a\n\n/, ''));
  assert.equal(await without(LED, 'b'), LED.replace(/  b:\n.*\n/, ''));
  assert.equal(await without(LED, 'c'), LED.replace(/  c:\n.*\n/, ''));
});

test('comments of the next entry stay when the entry before it is replaced', async () => {
  assert.equal(await withNew(LED, 'a'), LED.replace('    cmd: one\n    # in a\n', '    cmd: new\n'));
  assert.equal(await withNew(LED, 'b'), LED.replace('cmd: two', 'cmd: new'));
});

test('a comment at the end of the file does not belong to the last entry', async () => {
  const text = 'extensions:\n  a:\n    cmd: one\n  b:\n    cmd: two\n    # in b\n\n# the end\n';
  assert.equal(await without(text, 'b'), 'extensions:\n  a:\n    cmd: one\n# the end\n');
  assert.equal(await withNew(text, 'c'), text.replace('# in b\n', '# in b\n  c:\n    cmd: new\n'));
});

test('a line of text that looks like a comment belongs to the entry', async () => {
  const text = 'extensions:\n  a:\n    about: |\n      # Title\n      # Rest\n  # leads b\n  b:\n    cmd: two\n';
  assert.equal(await without(text, 'a'), 'extensions:\n  # leads b\n  b:\n    cmd: two\n');
});

test('a comment in the middle of an entry does not end it', async () => {
  const text = 'extensions:\n  a:\n    cmd: one\n# timeout: 3\n    enabled: true\n  b:\n    cmd:   two\n';
  assert.equal(await without(text, 'a'), 'extensions:\n  b:\n    cmd:   two\n');
});

test('a mapping without its last entry is empty, and not null', async () => {
  const text = 'extensions: # mine\n  a:\n    cmd: one\nM:   1\n';
  assert.equal(await without(text, 'a'), 'extensions: {} # mine\nM:   1\n');
  assert.equal(await without('"extensions" :\n  a:\n    cmd: one\n', 'a'), '"extensions" : {}\n');
});

test('a file in which one server cannot be changed alone is refused', async () => {
  for (const text of ['extensions: { a: { cmd: one } }\n', '{ extensions: { } }\n', 'x: &e { }\nextensions: *e\n'])
    await assert.rejects(withNew(text, 'n'), /n cannot be changed in it/, text);
});

test('an empty member is replaced by the first server', async () => {
  for (const [text, expected] of [
    ['extensions:\nM: 1\n', 'extensions:\n  a:\n    cmd: new\nM: 1\n'],
    ['extensions: # mine\n', 'extensions: # mine\n  a:\n    cmd: new\n'],
    ['extensions: {} # mine\nM:   1', 'extensions:  # mine\n  a:\n    cmd: new\nM:   1'],
    ['extensions: null\n', 'extensions: \n  a:\n    cmd: new\n'],
    ['M:   "1"', 'M:   "1"\nextensions:\n  a:\n    cmd: new\n'],
    ['M: 1\r\n', 'M: 1\r\nextensions:\r\n  a:\r\n    cmd: new\r\n'],
    ['', 'extensions:\n  a:\n    cmd: new\n'],
  ] as const)
    assert.equal(await withNew(text, 'a'), expected);
});

test('an entry that is not a mapping still counts as existing', async () => {
  const document = await read('extensions:\n  n:\n  s: text\n');
  assert.deepEqual(
    [...document.servers()],
    [
      ['n', null],
      ['s', 'text'],
    ],
  );
});
