// Calls to servers that are being started again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHost, type FormatOptions, type HostEvent, type HostOptions, toolsFor } from '../src/index.ts';
import { folder, rawServer, started, textOf, until } from './kit.ts';

const RULES = [{ effect: 'allow', act: ['start', 'call'] }] as const;
const AGAIN = /^one__act is unavailable for now: its server 'one' is starting/;

/** A server whose tool `die` ends it. From its second start on, it waits `listMs` before it lists its tools, or fails. */
async function dying({ listMs = 0, fails = false } = {}) {
  const marker = `${await folder()}/started`;
  return rawServer([{ name: 'act' }, { name: 'die' }], {
    more: `const fs = process.getBuiltinModule('node:fs');
      const isFirst = !fs.existsSync(${JSON.stringify(marker)});
      if (params?.name === 'die') { fs.writeFileSync(${JSON.stringify(marker)}, ''); process.exit(1); }
      if (!isFirst && ${fails}) process.exit(1);
      if (!isFirst && method === 'tools/list') return setTimeout(() => send({ id, result: answers[method] }), ${listMs});`,
  });
}

/** A started host whose server has just ended. */
async function withEnded(options: Partial<HostOptions>, server: Parameters<typeof dying>[0] = {}) {
  const host = await started({ servers: { one: await dying(server) }, rules: RULES, ...options });
  await host.call('one__die', {}, { by: 'user' });
  await until(() => host.servers()[0]!.state !== 'ready');
  return host;
}

test('a tool is unavailable for now until its server, which is started again, has listed its tools', async () => {
  await using host = await withEnded({ limits: { restartMs: 10, startWaitMs: 100 } }, { listMs: 1_500 });
  await until(() => host.servers()[0]!.revision !== undefined);
  assert.equal(host.servers()[0]!.state, 'starting', 'it has answered the handshake');
  assert.match(host.unavailableReason('one__act')!, AGAIN);
  assert.match(textOf(await host.call('one__act', {})), AGAIN);
  await until(() => host.servers()[0]!.state === 'ready');
  assert.equal(host.unavailableReason('one__act'), undefined);
  assert.equal(textOf(await host.call('one__act', {})), 'ok');
});

class Message {
  readonly content: unknown;
  constructor(fields: { readonly content: unknown }) {
    this.content = fields.content;
  }
}

test('the tools of a server are offered in every format while it is started again, and calls wait for it', async () => {
  await using host = await withEnded({ limits: { restartMs: 300 } });
  const options: FormatOptions = {};
  const tool = (_run: never, { name }: { readonly name: string }) => ({ name });
  const openai = toolsFor('openai', host, options).tools.map((tool) => tool.function.name);
  const responses = toolsFor('openai-responses', host, options).tools.map(({ name }) => name);
  const anthropic = toolsFor('anthropic', host, options).tools.map(({ name }) => name);
  const langchain = toolsFor('langchain', host, { ...options, tool, ToolMessage: Message }).tools;
  const { tools } = toolsFor('ai-sdk', host, options);
  assert.equal(host.servers()[0]!.state, 'starting');
  for (const names of [openai, responses, anthropic, langchain.map(({ name }) => name), Object.keys(tools)])
    assert.deepEqual(names, ['one__act', 'one__die']);
  assert.equal(textOf(await tools['one__act']!.execute({}, {})), 'ok');
});

test('the tools of a server that could not be started again are gone, and a change of the tools says so', async () => {
  const host = await createHost({
    servers: { one: await dying({ fails: true }) },
    rules: RULES,
    limits: { restartMs: 1 },
  });
  const events: HostEvent['kind'][] = [];
  await host.start();
  await host.call('one__die', {});
  await until(() => host.servers()[0]!.state === 'starting');
  assert.equal(host.tools().length, 2);
  host.on(({ kind }) => void events.push(kind));
  await until(() => host.servers()[0]!.state === 'failed');
  assert.deepEqual(host.tools(), []);
  assert.ok(events.includes('tools'));
  assert.match(textOf(await host.call('one__act', {})), /its server 'one' is not running \(it failed\)/);
  await host.close();
});

test('a call that is approved while its server is being started again waits for it', async () => {
  const rules = [{ effect: 'allow', act: 'start' }] as const;
  await using host = await started({ servers: { one: await dying() }, rules, limits: { restartMs: 300 } });
  const call = host.call('one__act', {});
  await until(() => host.pending().length === 1);
  await host.call('one__die', {}, { by: 'user' });
  await until(() => host.servers()[0]!.state === 'starting');
  host.answer(host.pending()[0]!.id, { allow: true });
  assert.equal(textOf(await call), 'ok');
});

test('a call that is approved while its server is started again for too long says that it is unavailable for now', async () => {
  const rules = [{ effect: 'allow', act: 'start' }] as const;
  const limits = { restartMs: 5_000, startWaitMs: 50 };
  await using host = await started({ servers: { one: await dying() }, rules, limits });
  const call = host.call('one__act', {});
  await until(() => host.pending().length === 1);
  await host.call('one__die', {}, { by: 'user' });
  await until(() => host.servers()[0]!.state === 'starting');
  host.answer(host.pending()[0]!.id, { allow: true });
  assert.match(textOf(await call), AGAIN);
});
