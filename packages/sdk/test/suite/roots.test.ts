import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, ToolError } from '../../src/entries/client.ts';
import { agreesOn, connectScripted } from '../../src/entries/testing.ts';
import { featuresOf } from '../../src/protocol/revision.ts';
import { app } from './app.ts';
import { cells, everywhere, legacy, modern, type Wired } from './cells.ts';
import { everywhereRaw } from './raw.ts';

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const withRoots = { roots: ['file:///home/a', { uri: 'file:///home/b', name: 'B' }] };

function sent(wire: readonly Wired[], method: string) {
  return wire.filter(({ from, message }) => from === 'client' && message.method === method);
}

everywhere(
  '[ROOT-1] roots are declared in the handshake',
  async ({ wire }) => {
    const [initialize] = sent(wire, 'initialize');
    assert.deepEqual(initialize?.message.params?.['capabilities'], { roots: { listChanged: true } });
  },
  { connect: withRoots, alone: true, only: legacy },
);

everywhere(
  '[ROOT-2] roots are declared with every request',
  async ({ client, wire }) => {
    await client.call('roots');
    const requests = wire.filter(({ from, message }) => from === 'client' && message.id !== undefined);
    assert.ok(requests.length >= 2);
    for (const { message } of requests) assert.deepEqual(message.params?.['_meta'][CAPABILITIES], { roots: {} });
  },
  { connect: withRoots, only: modern },
);

everywhere(
  '[ROOT-6, ROOT-4] a server that asks gets exactly the given roots',
  async ({ client, wire }) => {
    assert.equal(await client.call('roots'), 'file:///home/a file:///home/b');
    const roots = [{ uri: 'file:///home/a' }, { uri: 'file:///home/b', name: 'B' }];
    assert.ok(JSON.stringify(wire).includes(JSON.stringify(roots)), 'with nothing added');
  },
  { connect: withRoots },
);

everywhere(
  '[ROOT-3] a change of roots is sent to the server, if it may be',
  async ({ client, wire, cell }) => {
    assert.equal(await client.call('roots'), 'file:///home/a file:///home/b');
    await client.setRoots(['file:///home/c']);
    assert.equal(sent(wire, 'notifications/roots/list_changed').length, legacy(cell) ? 1 : 0);
    assert.equal(await client.call('roots'), 'file:///home/c');
  },
  { connect: withRoots, alone: true },
);

everywhere('[ROOT-11] a server does not ask a client without roots', async ({ client, wire, cell }) => {
  if (legacy(cell))
    await assert.rejects(client.call('roots'), (error) => error instanceof ToolError && /'roots'/.test(error.message));
  else await assert.rejects(client.call('roots'), { code: -32021, data: { requiredCapabilities: { roots: {} } } });
  assert.doesNotMatch(JSON.stringify(wire), /roots\/list/);
});

everywhereRaw(
  '[ROOT-11] after a change of roots the next question gets the new ones',
  async (raw) => {
    for (const uri of ['file:///one', 'file:///two']) {
      raw.notify('notifications/roots/list_changed');
      const call = raw.ask('tools/call', { name: 'roots' });
      const { id } = await raw.nextOf('roots/list');
      raw.send({ jsonrpc: '2.0', id, result: { roots: [{ uri }] } });
      assert.equal((await raw.answerTo(call)).result?.['content'][0].text, uri);
    }
  },
  { capabilities: { roots: { listChanged: true } }, only: legacy },
);

const OTHER = [
  'http://example.com/a',
  '/home/a',
  'home',
  '',
  'file',
  'C:\\a',
  'data:text/plain,a',
  'javascript:alert(1)',
];
const CLIMBING = [
  'file:///home/../etc',
  'file:///home/..',
  'file:///%2e%2e/etc',
  'file:///a/.%2E/b',
  'file:///a\\..\\b',
];

test('[ROOT-4, ROOT-7] a root that is not a file URI, or contains "..", is refused when it is set', async () => {
  await using client = await connect(app(), withRoots);
  for (const uri of [...OTHER, ...CLIMBING]) {
    for (const root of [uri, { uri, name: 'x' }]) {
      await assert.rejects(connect(app(), { roots: [root] }), TypeError, uri);
      await assert.rejects(client.setRoots([root]), TypeError, uri);
    }
  }
  await client.setRoots(['file:///a/..b/c..', 'file:///a/...', 'file:///']);
  assert.equal(await client.call('roots'), 'file:///a/..b/c.. file:///a/... file:///');
});

for (const cell of cells.filter((cell) => legacy(cell) && cell.transport === 'memory')) {
  const scripted = agreesOn(cell.revision);

  test(`[ROOT-4, ROOT-7, ROOT-5] the result of a function is checked before it is sent ${cell.where}`, async () => {
    let given = '';
    const { client, peer } = await connectScripted(scripted, { revision: cell.revision, roots: () => [given] });
    for (given of [...OTHER, ...CLIMBING]) {
      const { error } = (await peer.request('roots/list')) as { error?: { code: number; message: string } };
      assert.equal(error?.code, -32603, given);
      if (given.length > 6)
        assert.equal(JSON.stringify(peer.received).includes(JSON.stringify(given)), false, 'nothing of it is sent');
    }
    given = 'file:///fine';
    assert.deepEqual((await peer.request('roots/list'))['result'], { roots: [{ uri: 'file:///fine' }] });
    await client.close();
  });

  test(`[ROOT-5] for a client without roots the request is an unknown method ${cell.where}`, async () => {
    const { client, peer } = await connectScripted(scripted, { revision: cell.revision });
    const { error } = (await peer.request('roots/list')) as { error?: { code: number } };
    assert.equal(error?.code, -32601);
    await assert.rejects(client.setRoots(['file:///a']), TypeError);
    await client.close();
  });

  test(`the _meta of a root is sent to revisions that know it ${cell.where}`, async () => {
    const root = { uri: 'file:///a', _meta: { 'com.example/x': 1 } };
    const { client, peer } = await connectScripted(scripted, { revision: cell.revision, roots: [root] });
    const known = featuresOf(cell.revision).entityMeta;
    assert.deepEqual((await peer.request('roots/list'))['result'], { roots: [known ? root : { uri: 'file:///a' }] });
    await client.close();
  });
}
