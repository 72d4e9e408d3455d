import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonDocument } from './json-document.ts';

const FIELDS = { command: 'x' };

test('a duplicate member is not edited, because the host uses the other one', async () => {
  const twice = '{ "mcpServers": { "a": {} }, "other": 1, "mcpServers": { "b": {} } }';
  const document = await jsonDocument(twice, 'mcpServers');
  assert.deepEqual([...document.servers().keys()], ['b']);
  for (const fields of [FIELDS, undefined])
    assert.throws(() => document.set('b', fields), /^Error: it has "mcpServers" twice/);
  // By the decoded key, not by its spelling.
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
