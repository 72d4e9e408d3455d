// The published packages work with the oldest supported Node: their entry points load, and a server responds.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './lib/files.ts';

const node = join(root, 'node_modules/node20-linux-x64/bin/node');
const skip = !existsSync(node) && 'npm has that Node for Linux on x64 only';

function run(args: string[], input = '') {
  return spawnSync(node, args, { cwd: root, encoding: 'utf8', input, timeout: 120_000 });
}

test('the tested Node is the oldest one that the packages declare', { skip }, () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8')) as {
    engines: { node: string };
  };
  const version = run(['--version']).stdout.trim().slice(1);
  assert.equal(`>=${version}`.replace(/\.0$/, ''), engines.node);
});

test('every entry point of tenon loads', { skip }, () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8')) as {
    exports: Record<string, unknown>;
  };
  const names = Object.keys(exports)
    .filter((path) => !path.endsWith('.json'))
    .map((path) => path.replace('.', 'tenon'));
  assert.ok(names.length >= 4);
  const code = names.map((name) => `await import('${name}');`).join(' ');
  const { status, stderr } = run(['--input-type=module', '--eval', code]);
  assert.equal(status, 0, stderr);
});

test('a server responds over stdio and exits with its input', { skip }, () => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const messages = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text: 'Grüße' } } },
  ];
  const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
  const { status, stdout, stderr } = run(['scripts/fixtures/minimal-server.mjs'], input);
  assert.equal(status, 0, stderr);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result: Record<string, unknown> });
  assert.equal(answers.find(({ id }) => id === 1)?.result['protocolVersion'], '2025-11-25');
  assert.deepEqual(answers.find(({ id }) => id === 2)?.result['content'], [{ type: 'text', text: 'Grüße' }]);
});

test('many calls of a host at a time cause no warning', { skip }, () => {
  const code = `
    import { server, tool } from 'tenon';
    import { createHost } from '@tenon/host';
    const app = server({ name: 'x', tools: { act: tool({}, () => 'done') } });
    const host = await createHost({ servers: { x: app }, rules: [{ effect: 'allow' }] });
    await host.start();
    const { signal } = new AbortController();
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) => host.call('x__act', {}, index % 2 === 0 ? {} : { signal })),
    );
    await host.close();
    console.log(results.filter(({ isError }) => isError !== true).length);`;
  const { stdout, stderr } = run(['--input-type=module', '--eval', code]);
  assert.deepEqual({ stdout, stderr }, { stdout: '60\n', stderr: '' });
});

test('skills are published and loaded', { skip }, () => {
  const code = `
    import { server } from 'tenon';
    import { connect } from 'tenon/client';
    import { skill, skills } from '@tenon/skills';
    import { skillsOf } from '@tenon/skills/client';
    const made = skill({ 'SKILL.md': '---\\nname: a\\ndescription: b\\n---\\nDo it.' });
    const client = await connect(server({ name: 'x', providers: [skills([made])] }));
    console.log((await skillsOf(client).load('skill://a/SKILL.md')).instructions);
    await client.close();`;
  const { stdout, stderr } = run(['--input-type=module', '--eval', code]);
  assert.deepEqual({ stdout, stderr }, { stdout: 'Do it.\n', stderr: '' });
});

test('a store in SQLite says which Node it needs, and how to get it', { skip }, () => {
  const code = `
    import { openStore } from '@tenon/store';
    await openStore('sqlite:./never.db').catch((error) => console.log(error.code, error.message));`;
  const { stdout, stderr } = run(['--input-type=module', '--eval', code]);
  assert.match(stdout, /^no-sqlite .*Node 22\.13 or newer, and this is Node 20\..*npm install node@24/);
  assert.equal(stderr, '');
});
