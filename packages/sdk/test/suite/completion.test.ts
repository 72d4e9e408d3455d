import assert from 'node:assert/strict';
import { featuresOf } from '../../src/protocol/revision.ts';
import { everywhere } from './cells.ts';
import { everywhereRaw } from './raw.ts';

everywhere('values of a list are offered if they begin with the typed text', async ({ client }) => {
  const complete = async (typed: string) => client.complete({ prompt: 'review' }, { argument: 'style', value: typed });
  assert.deepEqual(await complete(''), { values: ['short', 'long'], total: 2, hasMore: false });
  assert.deepEqual((await complete('S')).values, ['short']);
  assert.deepEqual((await complete('hort')).values, []);
  const template = { template: 'item:///{kind}/{id}' } as const;
  assert.deepEqual((await client.complete(template, { argument: 'kind', value: 'al' })).values, ['alpha', 'Alps']);
});

everywhere('[COMP-3] at most 100 values are sent, with the total', async ({ client }) => {
  const { values, total, hasMore } = await client.complete(
    { template: 'item:///{kind}/{id}' },
    { argument: 'id', value: 'x' },
  );
  assert.equal(values.length, 100);
  assert.deepEqual([values[0], total, hasMore], ['x0', 250, true]);
});

everywhere(
  '[COMP-4] arguments that are already filled in reach the completer, if the revision sends them',
  async ({ client, cell }) => {
    const { values } = await client.complete(
      { template: 'item:///{kind}/{id}' },
      { argument: 'id', value: 'x', resolved: { kind: 'alpha' } },
    );
    assert.equal(values[0], featuresOf(cell.revision).completionContext ? 'alphax0' : 'x0');
  },
);

everywhere('an argument without a completer has no suggestions', async ({ client }) => {
  assert.deepEqual((await client.complete({ prompt: 'review' }, { argument: 'code', value: 'x' })).values, []);
  assert.deepEqual(
    (await client.complete({ template: 'file:///{+path}' }, { argument: 'path', value: '' })).values,
    [],
  );
});

everywhereRaw(
  '[COMP-5, COMP-8] an argument that cannot be completed is an invalid-params error',
  async (raw) => {
    const review = { type: 'ref/prompt', name: 'review' };
    const style = { name: 'style', value: '' };
    const bad: object[] = [
      {},
      { ref: review },
      { argument: style },
      { ref: { type: 'ref/prompt', name: 'nope' }, argument: style },
      { ref: { type: 'ref/prompt', name: '__proto__' }, argument: style },
      { ref: { type: 'ref/prompt' }, argument: style },
      { ref: { type: 'ref/tool', name: 'add' }, argument: style },
      { ref: { name: 'review' }, argument: style },
      { ref: 'review', argument: style },
      { ref: { type: 'ref/resource', uri: 'suite://setting' }, argument: style },
      { ref: { type: 'ref/resource', uri: 'item:///a/1' }, argument: { name: 'kind', value: '' } },
      { ref: { type: 'ref/resource' }, argument: style },
      { ref: review, argument: { name: 'nope', value: '' } },
      { ref: review, argument: { name: 'constructor', value: '' } },
      { ref: review, argument: { name: '__proto__', value: '' } },
      { ref: review, argument: { name: 'style' } },
      { ref: review, argument: { name: 'style', value: 5 } },
      { ref: review, argument: { value: 'x' } },
      { ref: review, argument: style, context: { arguments: { code: 5 } } },
      { ref: review, argument: style, context: { arguments: [] } },
      { ref: review, argument: style, context: 'code' },
    ];
    for (const params of bad) {
      const { error } = await raw.request('completion/complete', params);
      assert.equal(error?.code, -32602, JSON.stringify(params));
    }
  },
  { hostile: true },
);

everywhereRaw('[COMP-5] a completer that fails is -32603 without internal details', async (raw) => {
  const { error } = await raw.request('completion/complete', {
    ref: { type: 'ref/prompt', name: 'review' },
    argument: { name: 'other', value: 'x' },
  });
  assert.equal(error?.code, -32603);
  assert.doesNotMatch(JSON.stringify(raw.received), /SECRETPW/);
});
