// The group `wire` of a check reports whether every message fits the schema of its revision.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import process from 'node:process';
import { it } from 'node:test';
import { runChecks } from '../src/check/run-checks.ts';

async function check(args: readonly string[]) {
  const launch = { command: process.execPath, args };
  const target = { id: 'it', name: 'it', launch };
  const { rows } = await runChecks(target, { groups: ['wire'], by: 'a test' }, AbortSignal.timeout(120_000));
  const row = rows.find(({ id }) => id === 'wire-schema');
  assert.ok(row !== undefined, JSON.stringify(rows));
  assert.deepEqual([row.group, row.title], ['wire', 'Every message fits the schema of its revision']);
  assert.equal(rows.filter(({ id }) => id === 'wire-schema').length, 1);
  return row;
}

it('all messages of a correct server do', async () => {
  const everything = join(import.meta.dirname, '../../../servers/everything/bin/server-everything.js');
  const { status, detail, findings } = await check([everything]);
  assert.deepEqual([status, findings], ['pass', []]);
  const [, measured, all] = /^(\d+) of (\d+) messages were measured$/.exec(detail!) ?? assert.fail(detail);
  assert.ok(Number(measured) >= 8 && measured === all, detail);
});

/** Lists a tool whose description is a number. */
const wrong = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const info = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } };
    const tools = [{ name: 'a', title: 7, inputSchema: { type: 'object' } }];
    const result = method === 'initialize' ? info : method === 'tools/list' ? { tools } : undefined;
    const error = { code: -32601, message: 'No' };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
  });
`;

it('a message that does not is named', async () => {
  const { status, findings } = await check(['-e', wrong]);
  assert.equal(status, 'fail');
  assert.equal(findings[0]?.blame, 'server');
  assert.match(findings[0].message, /ListToolsResult of 2025-11-25: \/result\/tools\/0\/title must be a string/);
});
