// What a person approved is sent unchanged, whatever the program does to its objects meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resource, server, tool } from 'tenon';
import { createHost, type Item, toolsFor } from '../src/index.ts';
import { started, textOf, until } from './kit.ts';
import { listedTool, peerWith } from './peer.ts';

function echoing() {
  return server({
    name: 'x',
    tools: { echo: tool({ input: { type: 'object' } }, (input) => JSON.stringify(input)) },
    resources: { 'x:///{id}': resource({ name: 'any' }, ({ id }) => String(id)) },
  });
}

test('arguments that the program changes while a person decides are sent as the person saw them', async () => {
  let shown: unknown;
  const args = { to: 'ann', amounts: [1, 2] };
  await using host = await started({
    servers: { x: echoing() },
    approve: (item) => {
      if (item.kind !== 'call') return { allow: true };
      shown = JSON.parse(JSON.stringify(item.arguments));
      args.to = 'eve';
      args.amounts.push(1_000_000);
      return { allow: true };
    },
  });
  const sent = JSON.parse(textOf(await host.call('x__echo', args))) as unknown;
  assert.deepEqual(shown, { to: 'ann', amounts: [1, 2] });
  assert.deepEqual(sent, shown);
});

test('a decision handler cannot change the item that it gets', async () => {
  await using host = await started({
    servers: { x: echoing() },
    approve: (item) => {
      if (item.kind === 'call')
        try {
          (item.arguments as Record<string, unknown>)['to'] = 'eve';
        } catch {
          // The object may be frozen.
        }
      return { allow: true };
    },
  });
  assert.equal(textOf(await host.call('x__echo', { to: 'ann' })), '{"to":"ann"}');
});

test('the function of a rule cannot change the arguments that it gets', async () => {
  await using host = await started({
    servers: { x: echoing() },
    rules: [
      { effect: 'allow', act: 'start', server: 'x' },
      {
        effect: 'allow',
        server: 'x',
        arguments: (args) => {
          try {
            (args as Record<string, unknown>)['to'] = 'eve';
          } catch {
            // The object may be frozen.
          }
          return true;
        },
      },
    ],
  });
  assert.equal(textOf(await host.call('x__echo', { to: 'ann' })), '{"to":"ann"}');
});

test('arguments that change with each read are sent as they were shown', async () => {
  let shown: unknown;
  let reads = 0;
  const tricky = {
    get to() {
      return reads++ === 0 ? 'ann' : 'eve';
    },
  };
  await using host = await started({
    servers: { x: echoing() },
    approve: (item) => {
      if (item.kind === 'call') shown = JSON.parse(JSON.stringify(item.arguments));
      return { allow: true };
    },
  });
  const sent = JSON.parse(textOf(await host.call('x__echo', tricky))) as unknown;
  assert.deepEqual(sent, shown);
});

test('an argument called __proto__ is shown, and sent, like any other', async () => {
  let shown = '';
  await using host = await started({
    servers: { x: echoing() },
    approve: (item) => {
      if (item.kind === 'call') shown = JSON.stringify(item.arguments);
      return { allow: true };
    },
  });
  const args = JSON.parse('{"a":1,"__proto__":{"to":"eve"}}') as Record<string, unknown>;
  assert.equal(textOf(await host.call('x__echo', args)), '{"a":1,"__proto__":{"to":"eve"}}');
  assert.equal(shown, '{"a":1,"__proto__":{"to":"eve"}}');
});

test('the resource that is read is exactly the one that was shown', async () => {
  const peer = peerWith(
    { tools: [], resources: [{ uri: 'x:///a', name: 'a' }] },
    { 'resources/read': ({ params }) => ({ contents: [{ uri: (params as { uri: string }).uri, text: 'read' }] }) },
  );
  const shown: string[] = [];
  await using host = await started({
    servers: { x: peer.target },
    approve: (item) => {
      if (item.kind === 'read') shown.push(item.uri);
      return { allow: true };
    },
  });
  for (const uri of ['x:///a%2e%2e', 'x:///%41', 'X:///a', 'x:///a\u202eb', 'x:///é']) {
    await host.read('x', uri, { by: 'model' }).catch(() => {});
    const sent = peer.connections.at(-1)!.calls('resources/read').at(-1)?.params as { uri: string } | undefined;
    if (sent !== undefined) assert.equal(sent.uri, shown.at(-1), uri);
  }
});

test('a number of a model that JavaScript cannot represent is not sent as another one', async () => {
  await using host = await started({
    servers: { x: echoing() },
    rules: [
      { effect: 'allow', server: '*' },
      { effect: 'allow', act: 'start', server: '*' },
    ],
  });
  const openai = toolsFor('openai', host);
  for (const number of ['9007199254740993', '-9007199254740993', '1e400', '123456789012345678901234567890']) {
    const [message] = await openai.answer([
      { id: 'a', type: 'function', function: { name: 'x__echo', arguments: `{"id":${number}}` } },
    ] as never);
    const { content } = message as { content: string };
    assert.doesNotMatch(
      content,
      /9007199254740992|null|1\.2345678901234568e|123456789012345680/,
      `${number}: ${content}`,
    );
  }
  const [fine] = await openai.answer([
    { id: 'a', type: 'function', function: { name: 'x__echo', arguments: '{"id":9007199254740991,"x":0.1,"y":1.0}' } },
  ] as never);
  assert.match((fine as { content: string }).content, /9007199254740991/);
});

test('a server with a thousand waiting items does not displace items of another server', async () => {
  const items: Item[] = [];
  await using host = await createHost({
    servers: {
      greedy: peerWith({ tools: [listedTool('act')] }).target,
      other: peerWith({ tools: [listedTool('act')] }).target,
    },
    rules: [{ effect: 'allow', act: 'start', server: '*' }],
  });
  await host.start();
  const other = host.call('other__act', { first: true });
  await until(() => host.pending().length === 1);
  const [item] = host.pending();
  items.push(item!);
  const flood = Array.from({ length: 400 }, (_, n) => host.call('greedy__act', { n }));
  await until(() => host.pending().length >= 250);
  const second = host.call('other__act', { second: true });
  await until(() => host.pending().filter(({ server: name }) => name === 'other').length === 2);
  for (const one of host.pending()) host.answer(one.id, { allow: one.server === 'other' });
  await until(() => host.pending().length === 0);
  assert.equal((await other).isError, undefined);
  assert.equal((await second).isError, undefined);
  assert.ok((await Promise.all(flood)).every(({ isError }) => isError === true));
});
