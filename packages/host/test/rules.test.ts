// What the rules of a program apply to.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { prompt, resource, server, tool } from 'tenon';
import { createHost, type Decision, type Item, type Rule } from '../src/index.ts';
import { folder, started, textOf, until } from './kit.ts';

function desk() {
  const done: string[] = [];
  const app = server({
    name: 'desk',
    tools: { release_all: tool({}, () => (done.push('released'), 'released')) },
    prompts: { greet: prompt({}, () => 'Hello') },
    resources: { 'desk://rooms': resource({ name: 'rooms' }, () => 'A1') },
  });
  return { app, done };
}

/** A host with these rules whose person gives this answer to everything, and the items that they saw. */
async function hostWith(rules: readonly Rule[], answer: Decision) {
  const { app, done } = desk();
  const items: Item[] = [];
  const approve = (item: Item): Decision => (items.push(item), answer);
  return { host: await started({ servers: { desk: app }, rules, approve }), done, items };
}

test('an `ask` rule prompts also for calls and reads of the person', async () => {
  const { host, done, items } = await hostWith([{ effect: 'ask', server: 'desk' }], { allow: false });
  const refused = await host.call('desk__release_all', {}, { by: 'user' });
  assert.equal(refused.isError, true);
  await assert.rejects(host.read('desk', 'desk://rooms', { by: 'user' }), { name: 'DeniedError' });
  assert.deepEqual(
    items.map((item) => [item.kind, 'by' in item && item.by]),
    [
      ['call', 'user'],
      ['read', 'user'],
    ],
  );
  assert.deepEqual(done, []);
  // People choose prompts themselves.
  assert.equal((await host.prompt('desk__greet')).messages.length, 1);
  await host.close();
});

test('without a rule, a call of the person needs no approval, and a `deny` rule holds', async () => {
  const free = await hostWith([], { allow: false });
  assert.equal(textOf(await free.host.call('desk__release_all', {}, { by: 'user' })), 'released');
  assert.equal(free.host.decisions().at(-1)!.why, 'chosen by the person');
  assert.deepEqual(free.items, []);
  await free.host.close();
  const denied = await hostWith([{ effect: 'deny', tool: 'release_all' }], { allow: true });
  assert.equal((await denied.host.call('desk__release_all', {}, { by: 'user' })).isError, true);
  assert.deepEqual(denied.done, []);
  await denied.host.close();
});

test('a rule applies to the name of a tool that people see, and to the name that its server gives it', async () => {
  for (const name of ['desk__release_all', 'release_all', 'desk__*', '*release*']) {
    const denied = await hostWith([{ effect: 'deny', tool: name }], { allow: true });
    assert.equal((await denied.host.call('desk__release_all', {})).isError, true, name);
    await denied.host.close();
    const allowed = await hostWith([{ effect: 'allow', tool: name }], { allow: false });
    assert.equal(textOf(await allowed.host.call('desk__release_all', {})), 'released', name);
    await allowed.host.close();
  }
});

test('an `allow` does not cover the tools of a server whose alias begins like the name of an allowed tool', async () => {
  const reader = server({ name: 'x', tools: { erase: tool({}, () => 'erased'), desk__read: tool({}, () => 'read') } });
  for (const name of ['read*', 'desk__read']) {
    const approve = (): Decision => ({ allow: false });
    await using host = await started({ servers: { reader }, rules: [{ effect: 'allow', tool: name }], approve });
    for (const tool of host.tools()) assert.equal((await host.call(tool.name, {})).isError, true, tool.name);
  }
});

test('a rule for a server that the host does not have is reported as a problem, with the name that was meant', async () => {
  const problems: string[] = [];
  await using host = await createHost({
    servers: { desk: desk().app },
    rules: [
      { effect: 'deny', server: 'dsek', tool: 'release_all' },
      { effect: 'allow', server: 'd*k' },
      { effect: 'allow', server: 'x*' },
      { effect: 'allow', server: 'elsewhere' },
    ],
  });
  host.on((event) => event.kind === 'problem' && problems.push(event.message));
  await host.start();
  assert.deepEqual(problems, [
    "Rule 1 has no effect: this host has no server 'dsek'. Did you mean 'desk'?",
    "Rule 4 has no effect: this host has no server 'elsewhere'",
  ]);
});

test('the starts of servers are asked about in the order of the configuration', async () => {
  const state = await folder();
  const large = join(state, 'large');
  // Its content is part of what is approved, and reading it takes longer than the questions for the others.
  await writeFile(large, Buffer.alloc(15_000_000));
  const command = process.execPath;
  const rest = ['b', 'c', 'd', 'e'].map((alias) => [alias, { command, args: [alias] }]);
  const servers = { a: { command, args: [large] }, ...(Object.fromEntries(rest) as object) };
  const asked: string[] = [];
  const approve = (item: Item): Decision => (asked.push(item.server), { allow: false });
  await using host = await started({ servers, state, approve });
  assert.deepEqual(asked, ['a', 'b', 'c', 'd', 'e']);
  await using other = await createHost({ servers });
  void other.start();
  await until(() => other.pending().length === 5);
  assert.deepEqual(
    other.pending().map((item) => item.server),
    host.servers().map(({ alias }) => alias),
  );
});
