// The information that servers and clients exchange about themselves, on which no decision depends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, revisions } from '../../src/entries/client.ts';
import { server } from '../../src/entries/index.ts';
import { featuresOf, type Revision } from '../../src/protocol/revision.ts';
import { everywhere, legacy, modern } from './cells.ts';
import { identity } from './fixtures/identity.ts';
import { everywhereRaw, openRaw, type Raw } from './raw.ts';
import { accept } from './questions.ts';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const setup = { fixture: identity };

function infoIn(revision: Revision) {
  return {
    name: 'identity',
    version: '2.0.0',
    ...(featuresOf(revision).title ? { title: 'Who I am' } : {}),
    ...(featuresOf(revision).icons
      ? {
          description: 'Says who it is',
          websiteUrl: 'https://example.com/identity',
          icons: [{ src: 'data:image/png;base64,AQ==', mimeType: 'image/png', sizes: ['any'] }],
        }
      : {}),
  };
}

everywhere(
  '[LIFE-4, VERS-12] a server sends its name and instructions, as the revision defines them',
  async ({ client, wire, cell }) => {
    assert.deepEqual(client.server, infoIn(cell.revision));
    assert.equal(client.instructions, 'Ask me who I am.');
    const { result } = wire.find(({ from, message }) => from === 'server' && message.result !== undefined)!.message;
    assert.equal(result?.['instructions'], 'Ask me who I am.');
    assert.deepEqual(legacy(cell) ? result['serverInfo'] : result?.['_meta'][SERVER_INFO], infoIn(cell.revision));
    if (legacy(cell)) assert.equal(result['protocolVersion'], cell.revision);
  },
  { ...setup, alone: true },
);

everywhereRaw(
  '[VERS-11] the result of discovery has all required members, and no others',
  async (raw) => {
    const { result } = await raw.request('server/discover');
    const { supportedVersions, capabilities, instructions, ttlMs, cacheScope, resultType, _meta, ...rest } = result!;
    assert.deepEqual(
      [supportedVersions, resultType, instructions, ttlMs, rest],
      [['2026-07-28'], 'complete', 'Ask me who I am.', 0, {}],
    );
    assert.ok(['public', 'private'].includes(cacheScope));
    assert.deepEqual(capabilities, {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    });
    assert.deepEqual(_meta, { [SERVER_INFO]: infoIn(raw.cell.revision) });
  },
  { ...setup, only: modern },
);

/** One request of every kind that has a result. */
const REQUESTS: [string, object?][] = [
  ['tools/list'],
  ['tools/call', { name: 'who' }],
  ['tools/call', { name: 'fail' }],
  ['resources/list'],
  ['resources/templates/list'],
  ['resources/read', { uri: 'identity://x' }],
  ['prompts/list'],
  ['prompts/get', { name: 'x' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } }],
];

everywhereRaw(
  '[BASE-47, BASE-19] every result contains its server, if the revision has a member for it',
  async (raw) => {
    const results: Record<string, any>[] = [];
    for (const [method, params] of REQUESTS) results.push((await raw.request(method, params)).result!);
    if (modern(raw.cell)) {
      const capabilities = { elicitation: { form: {} } };
      const first = (await raw.request('tools/call', { name: 'ask' }, { capabilities })).result!;
      assert.equal(first['resultType'], 'input_required');
      const answer = { requestState: first['requestState'], inputResponses: { name: accept({ name: 'Ada' }) } };
      results.push(
        first,
        (await raw.request('server/discover')).result!,
        (await raw.request('tools/call', { name: 'ask', ...answer }, { capabilities })).result!,
      );
    }
    for (const result of results) {
      assert.deepEqual(
        result['_meta']?.[SERVER_INFO],
        modern(raw.cell) ? infoIn(raw.cell.revision) : undefined,
        JSON.stringify(result),
      );
      assert.equal(Object.hasOwn(result, 'resultType'), modern(raw.cell));
    }
  },
  setup,
);

everywhereRaw(
  '[BASE-47] the end of a subscription contains it, too',
  async (raw) => {
    raw.ask('subscriptions/listen', { notifications: {} }, { id: 'listen' });
    await raw.nextOf('notifications/subscriptions/acknowledged');
    raw.end();
    assert.deepEqual((await raw.answerTo('listen')).result?.['_meta'][SERVER_INFO], infoIn(raw.cell.revision));
    await raw.over;
  },
  { ...setup, only: modern, alone: true },
);

/** Everything a client can get, as text, without values that are generated anew each time. */
async function allResults(raw: Raw): Promise<string[]> {
  const all: string[] = [];
  for (const [method, params] of REQUESTS) {
    if ((params as { name?: string } | undefined)?.name === 'who') continue;
    const { result, error } = await raw.request(method, params);
    all.push(JSON.stringify(result ?? error).replaceAll(/error [0-9a-f]{8}/g, 'error'));
  }
  all.push(JSON.stringify((await raw.request('tools/call', { name: 'admin' })).error));
  return all;
}

everywhereRaw(
  "[BASE-48, BASE-49, TOOL-3] the client's name changes nothing, least of all its permissions",
  async (raw) => {
    const mine = await allResults(raw);
    assert.match(mine.at(-1)!, /-32602/);
    for (const clientInfo of [
      { name: 'admin', version: '1' },
      { name: 'claude-ai', version: '0.1.0' },
      { name: '__proto__', version: '' },
    ]) {
      const other = await openRaw(raw.cell, { ...(setup as object), clientInfo });
      try {
        assert.deepEqual(await allResults(other), mine, clientInfo.name);
        const { result } = await other.request('tools/call', { name: 'who' });
        assert.deepEqual(
          JSON.parse(result?.['content'][0].text),
          [clientInfo.name, clientInfo.version, null],
          'a handler may show it',
        );
      } finally {
        await other.close();
      }
    }
  },
  { ...setup, hostile: true },
);

everywhereRaw(
  'a client need not send its name, if the revision allows this',
  async (raw) => {
    const { result } = await raw.request(
      'tools/call',
      { name: 'who' },
      { meta: { 'io.modelcontextprotocol/clientInfo': undefined } },
    );
    assert.deepEqual(JSON.parse(result?.['content'][0].text), [null, null, null]);
  },
  { ...setup, only: modern },
);

const DECLARED: [Record<string, object>, string][] = [
  [{}, ''],
  [{ elicitation: {} }, 'elicitation'],
  [{ elicitation: { form: {} } }, 'elicitation'],
  [{ elicitation: { url: {} } }, 'elicitation.url'],
  [{ elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }, 'elicitation elicitation.url sampling roots'],
  [{ sampling: { tools: {}, context: {} } }, 'sampling sampling.tools sampling.context'],
];

everywhereRaw(
  "a handler can check the capabilities of this request's client",
  async (raw) => {
    for (const [capabilities, can] of DECLARED) {
      const { result } = await raw.request('tools/call', { name: 'can' }, { capabilities });
      assert.equal(result?.['content'][0].text, can, JSON.stringify(capabilities));
    }
  },
  { ...setup, only: modern },
);

test('a server without a name, and one with only a name', async () => {
  for (const name of ['', undefined, 5]) assert.throws(() => server({ name: name as string }), /name/);
  for (const revision of revisions) {
    await using client = await connect(server({ name: 'bare' }), { revision });
    assert.deepEqual(client.server, { name: 'bare', version: '0.0.0' });
    assert.equal(client.instructions, undefined);
  }
});
