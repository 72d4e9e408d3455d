import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDocument } from './edit.ts';

const FIELDS = { command: 'x' };

function jsonDocument(text: string, member: string) {
  return parseDocument(text, { syntax: 'json', member });
}

test('a duplicate member is not edited, because the host uses the other one', async () => {
  const twice = '{ "mcpServers": { "a": {} }, "other": 1, "mcpServers": { "b": {} } }';
  const document = await jsonDocument(twice, 'mcpServers');
  assert.deepEqual([...document.servers().keys()], ['b']);
  for (const fields of [FIELDS, undefined])
    assert.throws(() => document.set('b', fields), /^Error: it has "mcpServers" twice/);
  // Keys are compared decoded, not as spelled.
  const escaped = await jsonDocument('{ "mcpServers": {}, "mcp\\u0053ervers": {} }', 'mcpServers');
  assert.throws(() => escaped.set('b', FIELDS), /"mcpServers" twice/);
});

test('a duplicate server is neither replaced nor removed', async () => {
  const document = await jsonDocument(
    '{ "mcpServers": { "a": { "command": "1" }, "a": { "command": "2" } } }',
    'mcpServers',
  );
  assert.equal((document.servers().get('a') as { command: string }).command, '2');
  for (const fields of [FIELDS, undefined]) assert.throws(() => document.set('a', fields), /^Error: it has "a" twice/);
});

test('duplicate members elsewhere do not prevent an edit', async () => {
  const text = '{ "x": 1, "x": 2, "mcpServers": { "b": {}, "b": {} } }';
  const document = await jsonDocument(text, 'mcpServers');
  const changed = document.set('a', FIELDS);
  assert.deepEqual([...(await jsonDocument(changed, 'mcpServers')).servers().keys()], ['b', 'a']);
  assert.equal(changed.match(/"[xb]":/g)!.length, 4);
});

test('an entry that is not an object still counts as existing', async () => {
  const document = await jsonDocument('{ "mcpServers": { "n": null, "s": "text", "l": [1] } }', 'mcpServers');
  assert.deepEqual(
    [...document.servers()],
    [
      ['n', null],
      ['s', 'text'],
      ['l', [1]],
    ],
  );
});

test('a null member is replaced by the first server', async () => {
  const document = await jsonDocument('{ "mcpServers": null, "x": 1 }', 'mcpServers');
  assert.deepEqual(JSON.parse(document.set('a', FIELDS)), { mcpServers: { a: FIELDS }, x: 1 });
});

const LINES = `{
  // settings
  "theme": "dark",
  "mcpServers": {
    // about a
    "a": { "command": "x", "args": ["1","2"] }, // one
    /* about b */ "b":  {"url":   "https://b"} // two
    // the end
  },
  "last": [1,2,   3]
}
`;

test('a new server is inserted after the last one, and every other byte is kept', async () => {
  const set = async (text: string) => (await jsonDocument(text, 'mcpServers')).set('n', { command: 'x', args: ['y'] });
  const entry = '"n": {\n      "command": "x",\n      "args": [\n        "y"\n      ]\n    }';
  assert.equal(await set(LINES), LINES.replace('"https://b"} // two\n', `"https://b"}, // two\n    ${entry}\n`));
  const trailing = LINES.replace('"https://b"} // two', '"https://b"}, // two');
  assert.equal(await set(trailing), trailing.replace('// two\n', `// two\n    ${entry},\n`));
  for (const [before, after] of [
    [
      '',
      '{\n  "mcpServers": {\n    "n": {\n      "command": "x",\n      "args": [\n        "y"\n      ]\n    }\n  }\n}\n',
    ],
    ['{"a":1}', '{"a":1,"mcpServers":{"n":{"command":"x","args":["y"]}}}'],
    ['{ "mcpServers": { "a": {} } }\n', '{ "mcpServers": { "a": {}, "n": { "command": "x", "args": ["y"] } } }\n'],
    ['{"mcpServers":{"a":{}}}', '{"mcpServers":{"a":{},"n":{"command":"x","args":["y"]}}}'],
    ['{"mcpServers":{"a":{},}}', '{"mcpServers":{"a":{},"n":{"command":"x","args":["y"]},}}'],
    ['{"mcpServers":{}}', '{"mcpServers":{"n":{"command":"x","args":["y"]}}}'],
    [
      '{\n\t"mcpServers": {\n\t\t// none yet\n\t}\n}',
      '{\n\t"mcpServers": {\n\t\t// none yet\n\t\t"n": {\n\t\t\t"command": "x",\n\t\t\t"args": [\n\t\t\t\t"y"\n\t\t\t]\n\t\t}\n\t}\n}',
    ],
  ] as const)
    assert.equal(await set(before), after);
});

test('only the value of a server is replaced, and only the lines of a server are removed', async () => {
  const document = await jsonDocument(LINES, 'mcpServers');
  assert.equal(
    document.set('b', { url: 'https://c' }),
    LINES.replace('{"url":   "https://b"}', '{ "url": "https://c" }'),
  );
  assert.equal(document.set('a', undefined), LINES.replace(/    "a": .* \/\/ one\n/, ''));
  assert.equal(
    document.set('b', undefined),
    LINES.replace('}, // one', '} // one').replace(/ +\/\* about b .* \/\/ two\n/, ''),
  );
});

/** Texts of white space and comments that may stand between two tokens. */
const between = fc.constantFrom('', ' ', '  ', '\n', '\n  ', ' // c\n', '/* c */', '\n\n\t/* d\n */ ');
const data = fc.constantFrom('1', 'null', '{"command":"x"}', '{ "command": "x", "args": ["}", "//", "\\""] }', '[\n]');

const objects = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }),
    fc.array(fc.tuple(between, between, between, between, data), { minLength: 4, maxLength: 4 }),
    between,
    fc.boolean(),
  )
  .map(([names, parts, end, isTrailing]) => {
    const members = names.map((name, index) => {
      const [before, colon, value, after, content] = parts[index]!;
      return `${before}"${name}"${colon}:${value}${content}${after}`;
    });
    return `{${members.join(',')}${isTrailing && names.length > 0 ? ',' : ''}${end}}`;
  });

test('in any file, adding a server only inserts text, and removing it again restores the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(objects, between, between, async (servers, before, after) => {
      const text = `{${before}"mcpServers":${servers}${after}, "z": 1}\n`;
      const document = await jsonDocument(text, 'mcpServers');
      const added = document.set('new', { command: 'y', args: ['1'] });
      assert.deepEqual(
        [...(await jsonDocument(added, 'mcpServers')).servers().keys()],
        [...document.servers().keys(), 'new'],
      );
      // Every previous byte is kept, in order; only an empty object may lose its spaces.
      let at = 0;
      for (const sign of document.servers().size > 0 ? text : text.replaceAll(/\s/g, '')) {
        at = added.indexOf(sign, at) + 1;
        assert.notEqual(at, 0);
      }
      const removed = (await jsonDocument(added, 'mcpServers')).set('new', undefined);
      if (document.servers().size > 0) assert.equal(removed, text);
      else assert.equal(removed.replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''));
      for (const name of document.servers().keys()) {
        const without = await jsonDocument(document.set(name, undefined), 'mcpServers');
        assert.deepEqual(
          [...without.servers().keys()],
          [...document.servers().keys()].filter((other) => other !== name),
        );
      }
    }),
    { numRuns: 500 },
  );
});
