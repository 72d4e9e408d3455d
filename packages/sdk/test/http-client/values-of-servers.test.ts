// Values that a server sends in headers are sent back unchanged, or the server is refused with a clear error. None of them ends this
// process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jumpingTime } from '../../../../scripts/lib/test-time.ts';
import { connect, ConnectionError, PeerError } from '../../src/entries/client.ts';
import { json, legacyServer, modernServer, result, scripted } from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };

/** The result of an action: its value, or the name of its error. */
async function ended(action: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await action());
  } catch (error) {
    assert.ok(error instanceof ConnectionError || error instanceof PeerError, String((error as Error).stack));
    assert.notEqual(error.message, '');
    return error.name;
  }
}

for (const [what, id] of [
  ['a blank', 'a b'],
  ['a byte above ASCII', 'sess\u00e9'],
  ['a tab', 'a\tb'],
  ['a comma', 'a,b'],
  ['no characters', ''],
  ['twelve thousand characters', 'x'.repeat(12_000)],
] as const)
  test(`a session id with ${what} is sent back unchanged, or not at all`, async () => {
    const peer = await legacyServer(undefined, { session: id });
    const end = await ended(async () => {
      await using client = await connect(peer.url, { eras, revision: '2025-11-25', timeout: 5_000 });
      return await client.call('echo');
    });
    const sent = peer.seen
      .filter(({ message }) => message?.method !== 'initialize' && message?.method !== 'server/discover')
      .map(({ headers }) => headers['mcp-session-id']);
    for (const one of sent) assert.ok(one === id || one === undefined, `${one?.slice(0, 40)} ${end}`);
  });

test('a redirect to an invalid URL, or to another kind of URL, is a clear error', async () => {
  for (const location of [
    'http://[',
    'http://[::1',
    '//evil.example/x',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://127.0.0.1:99999/mcp',
    'http://u:p@127.0.0.1/mcp',
    'ws://127.0.0.1/mcp',
    '\u00e9:x',
    '',
  ]) {
    const peer = await scripted((_, response) => response.writeHead(307, { location }).end());
    const end = await ended(async () => connect(peer.url, { eras, timeout: 5_000 }));
    assert.equal(end, 'ConnectionError', location);
  }
});

test('an unreadable challenge is passed on as text, and causes no crash', async () => {
  for (const value of [
    'Bearer resource_metadata="http://["',
    '=,=,=',
    '"',
    'Bearer realm="\u00e9\u0080"',
    `Bearer ${'a='.repeat(3_000)}`,
  ]) {
    const peer = await scripted((_, response) => response.writeHead(401, { 'www-authenticate': value }).end());
    await assert.rejects(
      connect(peer.url, { eras, timeout: 5_000 }),
      (error: ConnectionError) => error.name === 'ConnectionError' && error.code === 'unauthorized',
    );
  }
});

test('a list is fresh for as long as its server says, even if the system clock changes', async (t) => {
  const [day, forward] = [jumpingTime(t, [Date]), jumpingTime(t, [performance])];
  const peer = await modernServer((seen, response) => {
    if (seen.message?.method !== 'tools/list') return undefined;
    const tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
    json(response, result(seen, { resultType: 'complete', tools, ttlMs: 60_000, cacheScope: 'private' }));
    return true;
  });
  await using client = await connect(peer.url, { eras });
  const lists = async (): Promise<number> => {
    await client.tools().all();
    return peer.posts('tools/list').length;
  };
  assert.equal(await lists(), 1);
  day.jump(3_600_000);
  assert.equal(await lists(), 1);
  day.jump(-7_200_000);
  assert.equal(await lists(), 1);
  forward.jump(61_000);
  assert.equal(await lists(), 2);
});
