// Tools that changed after their approval, and the questions about them.
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { server, tool } from 'tenon';
import { revisions, type ToolEntry } from 'tenon/client';
import { serveHttp } from 'tenon/node';
import { jumpingTime } from '../../../scripts/lib/test-time.ts';
import { until } from '../../../scripts/lib/until.ts';
import { createHost, type Host, type HostOptions, type Item, scriptedModel } from '../src/index.ts';
import { QUICKLY, rawServer } from './kit.ts';

function folder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'host-tools-'));
}

/**
 * A server over stdio without an SDK. Its tools are `t0`, `t1` … with a version in their descriptions, which a call of `next` increments;
 * with `tells` it announces that. `fail` makes its lists fail. With `once` its list is sent once.
 */
const SERVER = `
const { COUNT, VERSION, TELLS, ONCE } = process.env;
let version = VERSION, failing = false, lists = 0;
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const changed = () => TELLS && send({ method: 'notifications/tools/list_changed' });
const schema = { type: 'object' };
const tools = () => [
  ...['next', 'same', 'fail', 'lists'].map((name) => ({ name, inputSchema: schema })),
  ...Array.from({ length: Number(COUNT) }, (_, index) => ({ name: 't' + index, description: version, inputSchema: schema })),
];
const calls = {
  next: () => { version += '+'; changed(); },
  same: changed,
  fail: () => { failing = true; setInterval(changed, 5); },
  lists: () => {},
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') return send({ id, result: {
    protocolVersion: '2025-06-18', capabilities: { tools: TELLS ? { listChanged: true } : {} }, serverInfo: { name: 's', version: '1' },
  } });
  if (method === 'tools/list') {
    lists++;
    if (ONCE && lists > 1) return;
    return failing ? send({ id, error: { code: -32603, message: 'no database ' + lists } }) : send({ id, result: { tools: tools() } });
  }
  if (method === 'tools/call') {
    calls[params.name]?.();
    return send({ id, result: { content: [{ type: 'text', text: params.name === 'lists' ? String(lists) : version }] } });
  }
  send(method === 'ping' ? { id, result: {} } : { id, error: { code: -32601, message: 'Method not found' } });
});`;

interface Raw {
  readonly count?: number;
  readonly version?: string;
  readonly tells?: boolean;
  readonly once?: boolean;
}

function raw({ count = 1, version = 'one', tells = true, once = false }: Raw = {}) {
  return {
    command: process.execPath,
    args: ['-e', SERVER],
    ...QUICKLY,
    env: { COUNT: String(count), VERSION: version, ...(tells ? { TELLS: '1' } : {}), ...(once ? { ONCE: '1' } : {}) },
  };
}

const rules: HostOptions['rules'] = [
  { effect: 'allow', act: 'start' },
  { effect: 'allow', server: '*' },
];

async function opened(server: Raw, more: Partial<HostOptions> = {}): Promise<Host> {
  const host = await createHost({ servers: { x: raw(server) }, rules, ...more });
  await host.start();
  return host;
}

function changedItems(host: Host) {
  return host.pending().filter((item) => item.kind === 'changed');
}

/** Creates a state folder in which a version of the tools was approved. */
async function approvedFolder(count: number): Promise<string> {
  const state = await folder();
  await using host = await opened({ count }, { state });
  assert.equal(host.tools().length, count + 4);
  return state;
}

test('a server whose tools all change does not ask about all of them at once', async () => {
  const state = await approvedFolder(2_000);
  await using host = await opened({ count: 2_000, version: 'EVIL' }, { state });
  await until(() => changedItems(host).length === 20);
  // All further questions would have been asked by the time that a call returns.
  await host.call('x__same', {});
  const items = changedItems(host);
  assert.equal(items.length, 20);
  assert.equal(host.tools().length, 4);
  assert.match(items[0]!.warnings.join(' '), /1,980 more of its tools changed/);
  // The others wait for their turn.
  host.answer(items[0]!.id, { allow: true });
  await until(() => changedItems(host).some((item) => !items.includes(item)));
  await until(() => host.tools().length === 5);
  assert.equal(changedItems(host).length, 20);
  assert.match(changedItems(host).at(-1)!.warnings.join(' '), /1,979 more/);
});

test('all changed tools become available when all are allowed', async () => {
  const state = await approvedFolder(50);
  await using host = await opened(
    { count: 50, version: 'new' },
    { state, approve: (item) => ({ allow: item.kind === 'changed' }) },
  );
  await until(() => host.tools().length === 54);
  assert.deepEqual(host.pending(), []);
});

test('a denied change is not asked about again when the list changes', async (t) => {
  const time = jumpingTime(t);
  /** Waits until the list was read again, and the minimum interval has passed. */
  const reread = async (): Promise<void> => {
    time.jump(1_000);
    await host.call('x__lists', {});
    time.jump(1_000);
  };
  const asked: Item[] = [];
  await using host = await opened({}, { approve: (item) => (asked.push(item), { allow: false }) });
  await host.call('x__next', {});
  await until(() => asked.length === 1);
  for (let round = 0; round < 2; round++) {
    await host.call('x__same', {});
    await reread();
  }
  await host.restart('x');
  assert.equal(asked.length, 1);
  assert.deepEqual(host.tools().length, 5, 'it is what was approved again');
  await host.call('x__next', {});
  await reread();
  assert.equal(asked.length, 1, 'what was denied comes back');
  await host.call('x__next', {});
  await until(() => asked.length === 2);
  assert.equal(host.tools().length, 4);
});

test('an undecided change is not a denial: it is reported, and asked about after a restart', async () => {
  const state = await approvedFolder(1);
  let isBroken = true;
  const asked: Item[] = [];
  const host = await createHost({
    state,
    servers: { x: raw({ version: 'new' }) },
    rules,
    approve: (item) => {
      if (isBroken) throw new Error('a bug');
      asked.push(item);
      return { allow: true };
    },
  });
  await using _ = host;
  const problems: string[] = [];
  host.on((event) => void (event.kind === 'problem' && problems.push(event.message)));
  await host.start();
  await until(() => problems.some((problem) => /Could not ask about the changed tool x__t0/.test(problem)));
  assert.equal(host.decisions().filter(({ act }) => act === 'changed').length, 0);
  isBroken = false;
  await host.restart('x');
  await until(() => host.tools().length === 5);
  assert.equal(asked.length, 1);
});

test('a permanently denied change is not asked about by a later host; one that was denied once is', async () => {
  for (const [scope, again] of [
    ['always', 0],
    ['once', 1],
  ] as const) {
    const state = await approvedFolder(1);
    let asked = 0;
    const open = async (version: string, wanted: number): Promise<void> => {
      const approve = () => (asked++, { allow: false, scope });
      const before = asked;
      await using host = await opened({ version }, { state, approve });
      if (wanted > before) await until(() => asked === wanted);
      await host.call('x__lists', {});
      assert.equal(host.tools().length, 4);
    };
    await open('EVIL', 1);
    assert.equal(asked, 1);
    await open('EVIL', 1 + again);
    assert.equal(asked, 1 + again);
    await open('EVIL too', 2 + again);
    assert.equal(asked, 2 + again);
  }
});

test('a question about a tool that no longer exists is withdrawn', async () => {
  await using host = await opened({});
  await host.call('x__next', {});
  await until(() => changedItems(host).length === 1);
  const [first] = changedItems(host);
  await host.call('x__next', {});
  await until(() => changedItems(host).length === 1 && changedItems(host)[0] !== first);
  const [second] = changedItems(host);
  assert.equal((second!.after as ToolEntry).description, 'one++');
  assert.equal(host.answer(first!.id, { allow: true }), false);
  host.answer(second!.id, { allow: true });
  await until(() => host.tools().length === 5);
});

test('[A-84] changed tools of a server that does not announce changes are not called until they are approved', async (t) => {
  const time = jumpingTime(t);
  await using host = await opened({ tells: false });
  await host.call('x__next', {});
  assert.equal(host.tools().length, 5);
  time.jump(5_100);
  const { isError } = await host.call('x__t0', {});
  assert.equal(isError, true);
  assert.equal(host.tools().length, 4);
  await until(() => changedItems(host).length === 1);
});

test('[F-78] failing lists are read again only after a pause', async () => {
  await using host = await opened({});
  const problems: string[] = [];
  const times: number[] = [];
  host.on((event) => {
    if (event.kind !== 'problem') return;
    times.push(performance.now());
    problems.push(event.message);
  });
  await host.call('x__fail', {});
  await until(() => problems.length === 2);
  // The counter of the server shows that there were no other reads.
  assert.deepEqual(
    problems,
    [2, 3].map((count) => `Its tools could not be read again: no database ${count}`),
  );
  assert.ok(times[1]! - times[0]! >= 990, times.join());
  const { content, isError } = await host.call('x__t0', {});
  assert.equal(isError, true, JSON.stringify(content));
});

/** A server with a tool that adds another one. */
function growing() {
  const app = server({
    name: 'growing',
    tools: {
      unlock: tool({}, () => {
        app.tools.set(
          'open',
          tool({}, () => 'It is open'),
        );
        return 'Unlocked';
      }),
    },
  });
  return app;
}

for (const revision of revisions) {
  for (const transport of ['memory', 'http'] as const) {
    test(`a tool that a call adds is offered in the next step of a run, on ${revision} over ${transport}`, async () => {
      const app = growing();
      const served = transport === 'http' ? await serveHttp(app, { port: 0 }) : undefined;
      const launch =
        served === undefined
          ? ({ kind: 'value', target: app } as const)
          : ({ kind: 'http', url: served.url, headers: {} } as const);
      const host = await createHost({ servers: [{ alias: 'x', launch, revision }], rules });
      try {
        await host.start();
        const offered: (readonly string[])[] = [];
        const model = scriptedModel(({ step, tools }) => {
          offered.push(tools);
          return step === 0 ? { calls: [{ tool: 'x__unlock' }] } : { text: 'Done' };
        });
        await host.run({ model, prompt: 'Unlock it' });
        assert.deepEqual(offered, [['x__unlock'], ['x__open', 'x__unlock']]);
      } finally {
        await host.close();
        await served?.close();
      }
    });
  }
}

test('a run waits only for a limited time for a changed list that the server does not send', async () => {
  await using host = await opened({ once: true });
  await host.call('x__same', {});
  const model = scriptedModel(() => ({ text: 'Done' }));
  const { end } = await host.run({ model, prompt: 'Hi', budget: { totalMs: 100 } });
  assert.equal(end, 'time');
  await host.toolsSettled(AbortSignal.abort());
});

test('a tool keeps its name when another tool is renamed to it', async () => {
  const problems: string[] = [];
  const host = await createHost({
    servers: [{ alias: 'x', launch: { kind: 'stdio', ...raw() }, tools: { rename: { t0: 'lists' } } }],
    rules,
  });
  await using _ = host;
  host.on((event) => void (event.kind === 'problem' && problems.push(event.message)));
  await host.start();
  const names = host.tools().map(({ name }) => name);
  assert.equal(new Set(names).size, 5);
  const { content } = await host.call('x__lists', {});
  assert.equal((content[0] as { text: string }).text, '1');
  assert.match(problems.join(), /The new name of 't0' is already in use/);
});

test('[A-84] a tool that changed while its server was idle is not called with the approval of the old version', async () => {
  const file = join(await folder(), 'server.mjs');
  const tools = (description: string) => [{ name: 'act', description }];
  const { command, args } = await rawServer(tools('Adds'), { says: 'good' }, file);
  await using host = await createHost({
    servers: [{ alias: 'x', idleMs: 100, launch: { kind: 'stdio', command, args, env: {} } }],
    async approve(item) {
      if (item.kind === 'call') {
        await until(() => host.servers()[0]!.state === 'idle');
        await rawServer(tools('Sells'), { says: 'evil' }, file);
      }
      return { allow: item.kind !== 'changed' };
    },
  });
  await host.start();
  const result = await host.call('x__act', {});
  assert.equal(result.isError, true);
  assert.match(JSON.stringify(result.content), /changed while its call was being approved/);
});

test('a resource of an idle server is read only from the program that the decision was about', async () => {
  const file = join(await folder(), 'server.mjs');
  const reading = (says: string) => ({
    more: `if (method === 'resources/read') return send({ id, result: { contents: [{ uri: 'x:y', text: '${says}' }] } });`,
  });
  const { command, args } = await rawServer([], reading('good'), file);
  await using host = await createHost({
    servers: [{ alias: 'x', idleMs: 100, launch: { kind: 'stdio', command, args, env: {} } }],
    async approve(item) {
      if (item.kind === 'read') {
        await until(() => host.servers()[0]!.state === 'idle');
        await rawServer([], reading('evil'), file);
      }
      return { allow: true };
    },
  });
  await host.start();
  await assert.rejects(host.read('x', 'x:y'), /changed after x:y was approved/);
});
