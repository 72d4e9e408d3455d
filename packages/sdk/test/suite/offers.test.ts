// The capabilities a server declares, and how it responds to requests for others.
import assert from 'node:assert/strict';
import { featuresOf } from '../../src/protocol/revision.ts';
import { everywhere } from './cells.ts';
import { bare, empty, growing } from './fixtures/offers.ts';
import { everywhereRaw } from './raw.ts';

everywhere(
  '[TOOL-1, RES-1, PROMPT-1, LOG-1, COMP-1] the offers of a server are declared, as the revision defines them',
  async ({ client, cell }) => {
    assert.deepEqual(client.capabilities, {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      ...(featuresOf(cell.revision).completionsCapability ? { completions: {} } : {}),
    });
  },
);

const LISTS = [
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
] as const;

everywhereRaw(
  '[TOOL-2, RES-2, PROMPT-2] a declared list is answered, even if it is empty',
  async (raw) => {
    for (const [method, key] of LISTS) {
      const { result } = await raw.request(method);
      assert.deepEqual(result?.[key], [], method);
      assert.equal(Object.hasOwn(result!, 'nextCursor'), false);
    }
  },
  { fixture: empty },
);

everywhereRaw(
  '[PROMPT-11, COMP-5] a method whose capability is not declared does not exist',
  async (raw) => {
    const methods = [
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'resources/subscribe',
      'prompts/list',
      'prompts/get',
      'completion/complete',
    ];
    for (const method of methods) {
      const { error } = await raw.request(method, {
        name: 'x',
        uri: 'x:y',
        ref: { type: 'ref/prompt', name: 'x' },
        argument: { name: 'a', value: '' },
      });
      assert.equal(error?.code, -32601, method);
    }
  },
  { fixture: bare, hostile: true },
);

everywhere(
  'a server that offers nothing declares only logging',
  async ({ client }) => {
    assert.deepEqual(client.capabilities, { logging: {} });
    for (const list of [client.tools(), client.resources(), client.templates(), client.prompts()])
      assert.deepEqual(await list.all(), []);
  },
  { fixture: bare },
);

everywhereRaw(
  'an item that is added later is available immediately',
  async (raw) => {
    assert.equal((await raw.request('resources/list')).error?.code, -32601);
    assert.equal((await raw.request('prompts/list')).error?.code, -32601);
    await raw.request('tools/call', { name: 'resources' });
    await raw.request('tools/call', { name: 'prompts' });
    assert.equal((await raw.request('resources/list')).result?.['resources'].length, 1);
    assert.equal((await raw.request('resources/read', { uri: 'grown://one' })).result?.['contents'][0].text, 'one');
    assert.equal((await raw.request('prompts/list')).result?.['prompts'].length, 1);
    const complete = await raw.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'one' },
      argument: { name: 'a', value: '' },
    });
    assert.deepEqual(complete.result?.['completion'].values, ['x']);
  },
  { fixture: growing, hostile: true, alone: true },
);
