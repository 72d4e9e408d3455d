import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect, ConnectionError, createEraMemory, ProtocolError } from '../../src/entries/client.ts';
import { revisions, serve, type Revision } from '../../src/entries/index.ts';
import { memoryPair } from '../../src/entries/testing.ts';
import { createOracle } from '../oracle/oracle.ts';
import { makeApp } from './app.ts';
import { claimed, dialog, type Dialog, KEY, type Message, MODERN } from './dialog.ts';

const LEGACY = revisions.filter((revision) => revision !== MODERN);

/** Every set of revisions a server may support. */
const choices: readonly (readonly Revision[])[] = Array.from({ length: 2 ** revisions.length - 1 }, (_, at) =>
  revisions.filter((_revision, bit) => ((at + 1) >> bit) & 1),
);

/** The revision that a client and a server agree on, if any (basic/versioning, Compatibility matrix). */
function outcome(pinned: Revision | undefined, spoken: readonly Revision[]): Revision | undefined {
  if (pinned !== undefined) return spoken.includes(pinned) ? pinned : undefined;
  return spoken.includes(MODERN) ? MODERN : spoken[0];
}

for (const pinned of [undefined, ...revisions]) {
  test(`[VERS-1] [VERS-3] [VERS-6] [VERS-20] a client of ${pinned ?? 'any revision'} agrees with every server as the compatibility matrix says`, async () => {
    for (const spoken of choices) {
      const what = `${pinned ?? 'any'} with ${spoken.join(', ')}`;
      const [near, far] = memoryPair();
      const served = serve(makeApp(), far, { revisions: spoken.toReversed() });
      const oracle = createOracle(pinned === undefined ? 'auto' : pinned);
      const methods: string[] = [];
      const connecting = connect(near, {
        revision: pinned,
        onTrace({ kind, text }) {
          if (kind !== 'sent' && kind !== 'received') return;
          oracle.observe(kind === 'sent' ? 'client-to-server' : 'server-to-client', text);
          const { method } = JSON.parse(text) as Message;
          if (kind === 'sent') methods.push(method!);
        },
      });
      const wanted = outcome(pinned, spoken);
      if (wanted === undefined) {
        await assert.rejects(connecting, ConnectionError, what);
      } else {
        const client = await connecting;
        assert.equal(client.revision, wanted, what);
        assert.equal(await client.call('add', { a: 1, b: 2 }), '3', what);
        assert.deepEqual(oracle.problems, [], what);
        await client.close();
      }
      await served.closed;
      const probes = pinned === undefined || pinned === MODERN;
      assert.equal(methods[0], probes ? 'server/discover' : 'initialize', what);
      const falls = wanted !== undefined && wanted !== MODERN;
      assert.equal(methods.includes('initialize'), !probes || falls, `${what}: initialize is for old eras`);
      assert.equal(methods.filter((method) => method === 'server/discover').length, probes ? 1 : 0, what);
    }
  });
}

function initialize(it: Dialog, protocolVersion: unknown) {
  return it.request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } });
}

test('[VERS-3] [VERS-4] [VERS-5] the requested version is agreed on, or else the newest one with a handshake', async (t) => {
  for (const spoken of choices) {
    const legacy = spoken.filter((revision) => revision !== MODERN);
    if (legacy.length === 0) continue;
    for (const asked of [...revisions, '1999-01-01', '2099-12-31', '', '__proto__']) {
      const it = dialog(t, makeApp(), { revisions: spoken.toReversed(), unchecked: true });
      const { result } = await initialize(it, asked);
      assert.equal(
        result?.['protocolVersion'],
        legacy.find((revision) => revision === asked) ?? legacy[0],
        `${asked} of ${spoken.join(', ')}`,
      );
      await it.end();
    }
  }
});

test('[VERS-33] [VERS-7] [BASE-31] a server without a handshake refuses initialize with the versions it supports', async (t) => {
  const it = dialog(t, makeApp(), { revisions: [MODERN] });
  for (const asked of ['2025-11-25', MODERN, '', undefined, 7]) {
    const { error } = await initialize(it, asked);
    assert.deepEqual(
      [error?.code, error?.data],
      [-32022, { supported: [MODERN], requested: typeof asked === 'string' ? asked : '' }],
    );
  }
  for (const method of ['tools/list', 'ping', 'no/such']) {
    const { error } = await it.request(method);
    assert.equal(error?.code, -32602);
    assert.match(error.message, new RegExp(MODERN));
    assert.doesNotMatch(error.message, /initialize/);
  }
  assert.ok((await it.request('tools/list', claimed())).result);
});

test('a server without the modern era does not have its methods, and reads no claims', async (t) => {
  const it = dialog(t, makeApp(), { revisions: ['2025-06-18', '2024-11-05'], checkedAs: '2025-06-18' });
  assert.equal((await it.request('server/discover', claimed())).error?.code, -32602);
  await it.handshake('2025-06-18');
  assert.equal((await it.request('server/discover', claimed())).error?.code, -32601);
  const { result } = await it.request('tools/list', claimed());
  assert.ok(Array.isArray(result?.['tools']) && !Object.hasOwn(result, 'resultType'));
});

test('unknown revisions, and an empty list, are an error of the author', () => {
  const [, far] = memoryPair();
  assert.throws(() => serve(makeApp(), far, { revisions: [] }), /`revisions` needs at least one of 2026-07-28/);
  assert.throws(() => serve(makeApp(), far, { revisions: ['2025-06-18', '2025-01-01' as Revision] }), {
    name: 'TypeError',
    message: /2025-01-01/,
  });
});

test('[VERS-9] [VERS-11] [VERS-12] server/discover returns all information about the server', async (t) => {
  const it = dialog(t, makeApp());
  const { result } = await it.request('server/discover', claimed());
  assert.deepEqual(result, {
    supportedVersions: [MODERN],
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    instructions: 'Try everything.',
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [KEY.server]: { name: 'protocol', version: '1.0.0' } },
  });
});

test('[VERS-34] [VERS-35] [VERS-36] both eras are served on one connection, without affecting each other', async (t) => {
  const it = dialog(t, makeApp());
  const can = async (params: object): Promise<unknown> => {
    const { result } = await it.request('tools/call', params);
    return JSON.parse(result?.['content'][0].text);
  };
  const stranger = { [KEY.info]: { name: 'stranger', version: '1' } };
  assert.deepEqual(await can(claimed({ name: 'can' }, stranger, { elicitation: {} })), {
    name: 'stranger',
    can: ['elicitation'],
  });
  assert.equal((await it.request('tools/list')).error?.code, -32602, 'a claim begins no session');
  await it.handshake('2024-11-05', { roots: {} });
  assert.deepEqual(await can({ name: 'can' }), { name: 'dialog', can: ['roots'] });
  assert.deepEqual(await can(claimed({ name: 'can' }, stranger, { sampling: {} })), {
    name: 'stranger',
    can: ['sampling'],
  });
  assert.deepEqual(await can({ name: 'can' }), { name: 'dialog', can: ['roots'] });
  const [old, young] = [await it.request('tools/list'), await it.request('tools/list', claimed())];
  assert.equal(young.result?.['resultType'], 'complete');
  assert.ok(!Object.hasOwn(old.result!, 'resultType') && !Object.hasOwn(old.result!, 'ttlMs'));
  assert.equal(
    (await it.request('tools/list', { _meta: { [KEY.version]: '2024-11-05', [KEY.capabilities]: {} } })).error?.code,
    -32022,
    'a claim is a claim, also of the version of the session',
  );
});

test('[BASE-33] [BASE-44] version, capabilities and name of a request are its own, whatever came before', async (t) => {
  const it = dialog(t, makeApp());
  const can = async (meta: object, capabilities: object): Promise<unknown> =>
    (await it.request('tools/call', claimed({ name: 'can' }, meta, capabilities))).result?.['structuredContent'];
  const info = { [KEY.info]: { name: 'ann', version: '1' } };
  assert.deepEqual(await can(info, { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }), {
    name: 'ann',
    can: ['elicitation', 'elicitation.url', 'sampling', 'roots'],
  });
  assert.deepEqual(await can({}, {}), { name: null, can: [] });
  const asked = await it.request('tools/call', claimed({ name: 'ask' }, {}, { elicitation: {} }));
  assert.equal(asked.result?.['resultType'], 'input_required');
  assert.equal((await it.request('tools/call', claimed({ name: 'ask' }))).error?.code, -32021);
  const incomplete = await it.request('tools/call', { name: 'can', _meta: { [KEY.version]: MODERN } });
  assert.equal(incomplete.error?.code, -32602, 'capabilities are not remembered either');
});

test('[BASE-34] interleaved requests of many clients on one connection are kept apart', async (t) => {
  const it = dialog(t, makeApp());
  const abilities = ['elicitation', 'sampling', 'roots'] as const;
  const wanted = new Map<string, unknown>();
  for (let at = 0; at < 120; at++) {
    const id = `request ${at}`;
    const can = abilities.filter((_, bit) => (at >> bit) & 1);
    wanted.set(id, { name: `client ${at}`, can });
    it.send({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: claimed(
        { name: 'can' },
        { [KEY.info]: { name: `client ${at}`, version: '1' } },
        Object.fromEntries(can.map((name) => [name, {}])),
      ),
    });
    it.send({
      jsonrpc: '2.0',
      id: `wait ${at}`,
      method: 'tools/call',
      params: claimed({ name: 'wait', arguments: { ms: at % 7 } }),
    });
  }
  for (const [id, content] of wanted)
    assert.deepEqual((await it.next((message) => message.id === id)).result?.['structuredContent'], content);
  for (let at = 0; at < 120; at++) await it.next(({ id }) => id === `wait ${at}`);
  assert.deepEqual(await it.remaining(), []);
});

test('[BASE-35] [BASE-37] a call continues over another connection: all its state is in the request', async (t) => {
  const options = { keys: ['a key that both of them have'] };
  const [here, there] = [dialog(t, makeApp(), options), dialog(t, makeApp(), options)];
  const { result } = await here.request('tools/call', claimed({ name: 'ask' }, {}, { elicitation: {} }));
  const answer = { action: 'accept', content: { color: 'blue' } };
  const again = claimed(
    { name: 'ask', requestState: result?.['requestState'], inputResponses: { color: answer } },
    {},
    { elicitation: {} },
  );
  assert.equal((await there.request('tools/call', again)).result?.['content'][0].text, 'blue');
});

test("[BASE-43] [BASE-48] [BASE-49] [VERS-13] the client's name changes nothing", async (t) => {
  const it = dialog(t, makeApp());
  const answers: string[] = [];
  for (const info of [
    undefined,
    { name: 'claude-desktop', version: '1' },
    { name: 'admin', version: '9', title: 'root' },
    'nonsense',
    null,
  ]) {
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', { name: 'add', arguments: { a: 1, b: 2 } }],
      ['resources/read', { uri: 'test://a' }],
    ] as const) {
      answers.push(
        JSON.stringify(
          (await it.request(method, claimed(params, info === undefined ? {} : { [KEY.info]: info }))).result,
        ),
      );
    }
  }
  for (const [at, answer] of answers.entries())
    assert.equal(answer.replace(/"nextCursor":"[^"]*"/, ''), answers[at % 3]!.replace(/"nextCursor":"[^"]*"/, ''));
});

test('[VERS-15] [VERS-37] a server without an extension serves the core protocol to clients that have it, and has none of its methods', async (t) => {
  const it = dialog(t, makeApp());
  const params = (more: object = {}) =>
    claimed(more, {}, { extensions: { 'com.example/rays': { far: true } }, teleport: {} });
  assert.ok((await it.request('tools/list', params())).result?.['tools']);
  assert.equal((await it.request('rays/emit', params())).error?.code, -32601);
  assert.equal(
    Object.hasOwn((await it.request('server/discover', params())).result?.['capabilities'], 'extensions'),
    false,
  );
});

/** A legacy server in a separate process, which records in a file how many times it was started. */
function legacyServer(t: TestContext, onUnknown: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-negotiation-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const starts = join(folder, 'starts');
  const source = `
    const { appendFileSync } = require('node:fs');
    appendFileSync(${JSON.stringify(starts)}, 'x');
    const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'initialize') say({ id, result: { protocolVersion: '2025-03-26', capabilities: {}, serverInfo: { name: 'old', version: '1' } } });
      else if (method === 'ping') say({ id, result: {} });
      else if (id !== undefined) { ${onUnknown} }
    }).on('close', () => process.exit());
  `;
  return {
    command: { command: process.execPath, args: ['-e', source] },
    started: () => readFileSync(starts, 'utf8').length,
  };
}

test('[VERS-22] [VERS-31] [BASE-85] a legacy server that answers the probe with an error is started once, and not probed a second time', async (t) => {
  const { command, started } = legacyServer(
    t,
    `say({ id, error: { code: -32000, message: 'Server not initialized' } });`,
  );
  const eras = createEraMemory();
  for (const probes of [1, 0]) {
    const sent: string[] = [];
    const client = await connect(command, {
      eras,
      onTrace: ({ kind, text }) => void (kind === 'sent' && sent.push(text)),
    });
    assert.equal(client.revision, '2025-03-26');
    await client.ping();
    await client.close();
    assert.equal(sent.filter((text) => text.includes('server/discover')).length, probes);
  }
  assert.equal(started(), 2);
});

test('[VERS-22] a legacy server that the probe kills is restarted once, and that is remembered', async (t) => {
  const { command, started } = legacyServer(t, 'process.exit(1);');
  const eras = createEraMemory();
  for (const total of [2, 3]) {
    const client = await connect(command, { eras });
    assert.equal(client.revision, '2025-03-26');
    await client.close();
    assert.equal(started(), total);
  }
});

test('[VERS-24] [VERS-8] a client of only the modern era reports at once that a legacy server is unsuitable', async (t) => {
  const { command, started } = legacyServer(t, `say({ id, error: { code: -32601, message: 'Method not found' } });`);
  await assert.rejects(connect(command, { revision: MODERN, eras: createEraMemory() }), {
    name: 'ConnectionError',
    message: /does not support 2026-07-28/,
  });
  assert.equal(started(), 1);
});

test('a client and a server without a common version report what the server supports', async () => {
  await assert.rejects(
    connect(makeApp(), { revision: '2025-06-18', serve: { revisions: [MODERN] } }),
    (error: ConnectionError) => {
      assert.match(error.message, /server supports 2026-07-28, the client wants 2025-06-18/);
      return error.cause instanceof ProtocolError;
    },
  );
  for (const revision of LEGACY.slice(1)) {
    await assert.rejects(connect(makeApp(), { revision, serve: { revisions: ['2025-11-25'] } }), {
      name: 'ConnectionError',
      message: /2025-11-25/,
    });
  }
});
