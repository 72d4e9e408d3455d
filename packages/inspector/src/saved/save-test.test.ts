import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Target } from '../session/contract.ts';
import { createTraceStore } from '../trace/node/trace-store.ts';
import { saveTest } from './save-test.ts';
import { serverEntry } from './server-entry.ts';
import { readTestFile } from './test-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-saved-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function newFile(): string {
  return join(folder, `${++files}.test.json`);
}

function target(launch: Target['launch']): Target {
  return { id: 'a', name: 'a', launch };
}
const A = serverEntry(target({ command: 'node', args: ['a.js'] }));
const B = serverEntry(target({ command: 'node', args: ['b.js'] }));

/** Saves a tool call of a separate session: line numbers begin at 1 in each. */
function keep(
  path: string,
  { tool = 'echo', args, text = 'x', entry = A }: { tool?: string; args?: unknown; text?: string; entry?: string },
): string {
  const store = createTraceStore(join(folder, `${++files}.mcptrace`), 'test');
  const message = { session: 's', kind: 'message' } as const;
  const params = { name: tool, arguments: args, _meta: { progressToken: files } };
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const result = { content: [{ type: 'text', text }] };
  store.append({ ...message, at: 1, from: 'client', text: JSON.stringify(asked) });
  store.append({ ...message, at: 2, from: 'server', text: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) });
  try {
    return saveTest(path, store, { name: tool, request: 1 }, entry);
  } finally {
    store.close();
  }
}

function testsIn(path: string) {
  return readTestFile(readFileSync(path, 'utf8')).tests;
}
function namesIn(path: string): string[] {
  return testsIn(path).map(({ name }) => name);
}

test('saving a call does not replace another one', () => {
  const path = newFile();
  const names = [{ args: { m: 1 } }, { tool: 'get-sum' }, { args: { m: 2 } }, { args: { m: '1' } }].map((call) =>
    keep(path, call),
  );
  assert.deepEqual(names, ['echo', 'get-sum', 'echo 2', 'echo 3']);
  assert.deepEqual(namesIn(path), names);
});

test('the same call is saved once, with the name and checks that a person wrote', () => {
  const path = newFile();
  keep(path, { args: { a: 1, b: 2 } });
  keep(path, { tool: 'none' });
  const check = '"checks": [{ "at": "/content", "type": "array" }, ';
  writeFileSync(
    path,
    readFileSync(path, 'utf8')
      .replace('"echo"', '"mine"')
      .replace('"echo"', '"echo"')
      .replace(/"checks": \[\s*/, check),
  );
  assert.deepEqual(namesIn(path), ['mine', 'none']);
  assert.equal(keep(path, { args: { b: 2, a: 1.0 }, text: 'y' }), 'mine');
  assert.equal(keep(path, { tool: 'none', args: {} }), 'none');
  const [mine, none, ...more] = testsIn(path);
  assert.deepEqual([none?.name, more], ['none', []]);
  assert.deepEqual(mine!.expect.checks, [
    { at: '/content', type: 'array' },
    { at: '/content', equals: '[{"type":"text","text":"y"}]' },
  ]);
});

test('a file of tests names the server', () => {
  const path = newFile();
  keep(path, {});
  keep(path, { tool: 'other' });
  assert.deepEqual(JSON.parse(readTestFile(readFileSync(path, 'utf8')).server!), { command: 'node', args: ['a.js'] });
});

test('tests of two servers are not mixed in one file', () => {
  const path = newFile();
  keep(path, {});
  const before = readFileSync(path, 'utf8');
  const refused = { name: 'WorkbenchError', message: /holds tests of another server: .*a\.js/ };
  assert.throws(() => keep(path, { tool: 'b', entry: B }), refused);
  assert.equal(readFileSync(path, 'utf8'), before);
  const nameless = newFile();
  writeFileSync(nameless, '{"mcptest":1,"tests":[{"name":"pings","method":"ping"}]}');
  assert.throws(() => keep(nameless, {}), /does not say of which server/);
  writeFileSync(nameless, `{"mcptest":1,"server":${A},"tests":[{"name":"pings","method":"ping"}]}`);
  assert.equal(keep(nameless, {}), 'echo');
  assert.ok(!existsSync(`${nameless}.${process.pid}.new`));
});
