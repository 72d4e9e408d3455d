import assert from 'node:assert/strict';
import { test } from 'node:test';
import { server, tool } from 'tenon';
import { scriptedModel } from '../conversation/demo-model.ts';
import { createHost, type Decision, type Host, type HostOptions, type Item } from '../index.ts';

function app() {
  return server({
    name: 'x',
    tools: {
      choose: tool({}, async (_, ctx) => {
        const { content, model } = await ctx.sample('choice', {
          messages: [{ role: 'user', content: { type: 'text', text: 'Which flight?' } }],
          systemPrompt: 'You choose flights',
          maxTokens: 100_000,
          modelPreferences: { hints: [{ name: 'second' }] },
        });
        const block = [content].flat()[0]!;
        return `${model}: ${block.type === 'text' ? block.text : block.type}`;
      }),
    },
  });
}

function model(says: string) {
  return scriptedModel(() => ({ text: says }));
}

async function hostWith(approve: (item: Item) => Decision, more: Partial<HostOptions> = {}): Promise<Host> {
  const host = await createHost({
    servers: { x: app() },
    rules: [{ effect: 'allow', act: 'call' }],
    sample: [
      { model: model('From the first'), name: 'first' },
      { model: model('From the second'), name: 'the-second' },
    ],
    approve,
    ...more,
  });
  await host.start();
  return host;
}

function textOf({ content }: { content: readonly unknown[] }): string {
  return (content[0] as { text: string }).text;
}

test('[H10, SAMP-14] a person reviews the request and the response, and the model is chosen by the hint', async () => {
  const items: Item[] = [];
  await using host = await hostWith((item) => {
    items.push(item);
    return { allow: true };
  });
  assert.equal(textOf(await host.call('x__choose', {})), 'the-second: From the second');
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ['sample', 'sampled'],
  );
  const [before, after] = items;
  assert.ok(before?.kind === 'sample' && after?.kind === 'sampled');
  assert.equal(before.model, 'the-second');
  assert.equal(before.request.maxTokens, 4_096);
  assert.equal(before.request.systemPrompt, 'You choose flights');
  assert.deepEqual(after.result.content, { type: 'text', text: 'From the second' });
});

test('[H10] a person can edit the request and the response', async () => {
  await using host = await hostWith((item) => {
    if (item.kind === 'sample') return { allow: true, request: { ...item.request, maxTokens: 10 } };
    assert.ok(item.kind === 'sampled');
    assert.equal(item.request.maxTokens, 10);
    return { allow: true, result: { ...item.result, content: { type: 'text', text: 'Edited' } } };
  });
  assert.equal(textOf(await host.call('x__choose', {})), 'the-second: Edited');
});

for (const kind of ['sample', 'sampled'] as const) {
  test(`[H10] a denial of the ${kind === 'sample' ? 'request' : 'response'} is reported to the server as an error`, async () => {
    await using host = await hostWith((item) => ({ allow: item.kind !== kind, reason: 'Not this' }));
    const result = await host.call('x__choose', {});
    assert.equal(result.isError, true);
    assert.doesNotMatch(JSON.stringify(result), /From the/);
  });
}

test('[H10] sampling that is allowed for the session is not asked about again', async () => {
  let asked = 0;
  await using host = await hostWith(() => {
    asked++;
    return { allow: true, scope: 'session' };
  });
  await host.call('x__choose', {});
  await host.call('x__choose', {});
  assert.equal(asked, 1);
});

test('[H10] the sampling requests of a server are limited', async () => {
  await using host = await hostWith(() => ({ allow: true, scope: 'session' }), { limits: { samplesPerMinute: 2 } });
  assert.equal((await host.call('x__choose', {})).isError, undefined);
  assert.equal((await host.call('x__choose', {})).isError, undefined);
  assert.equal((await host.call('x__choose', {})).isError, true);
});

test('[A-87] without a model, sampling is not offered to servers', async () => {
  await using host = await hostWith(() => ({ allow: true }), { sample: [] });
  const result = await host.call('x__choose', {});
  assert.equal(result.isError, true);
});
