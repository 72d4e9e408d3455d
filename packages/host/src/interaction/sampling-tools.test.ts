// A server that lets the model of the host use the server's tools, in both eras.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { server, tool } from 'tenon';
import type { CallContext, SampleParams, SampleResult } from 'tenon';
import { scriptedModel, type ScriptContext } from '../conversation/demo-model.ts';
import { createHost, type Item } from '../index.ts';

const WEATHER = {
  name: 'city.weather',
  description: 'The weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;

type Messages = SampleParams['messages'];

/** The loop of a server: it runs the tools that the model uses until the model has an answer. */
async function research(ctx: CallContext, more: Partial<SampleParams> = {}): Promise<SampleResult> {
  const messages: Messages = [{ role: 'user', content: { type: 'text', text: 'Should I take an umbrella to Oslo?' } }];
  for (let round = 1; ; round++) {
    const last = await ctx.sample(`round ${round}`, { messages, maxTokens: 100, tools: [WEATHER], ...more });
    const uses = [last.content].flat().filter((block) => block.type === 'tool_use');
    if (uses.length === 0) return last;
    messages.push({ role: 'assistant', content: last.content } as Messages[number], {
      role: 'user',
      content: uses.map(({ id, input }) => ({
        type: 'tool_result' as const,
        toolUseId: id,
        content: [{ type: 'text' as const, text: `Rain in ${String(input['city'])}` }],
      })),
    });
  }
}

const app = server({
  name: 'travel',
  version: '1.0.0',
  tools: {
    research: tool({}, async (_, ctx) => JSON.stringify(await research(ctx))),
    forced: tool({}, async (_, ctx) => {
      const { content, stopReason } = await ctx.sample('forced', {
        messages: [{ role: 'user', content: { type: 'text', text: 'Go' } }],
        maxTokens: 10,
        tools: [WEATHER],
        toolChoice: { mode: 'required' },
      });
      return JSON.stringify({ content, stopReason });
    }),
  },
});

async function hostOn(revision: '2025-11-25' | '2026-07-28', seen: ScriptContext[], items: Item[] = []) {
  const model = scriptedModel((context) => {
    seen.push(context);
    return context.results.length > 0
      ? { text: `Take one: ${context.results.join()}` }
      : { text: 'Let me look.', calls: [{ tool: context.tools[0]!, arguments: { city: 'Oslo' } }] };
  });
  const host = await createHost({
    servers: { travel: app },
    connect: () => ({ revision }),
    rules: [{ effect: 'allow', act: 'call' }],
    sample: [{ model, name: 'demo' }],
    approve: (item) => (items.push(item), { allow: true }),
  });
  await host.start();
  return host;
}

function textOf({ content }: { content: readonly unknown[] }): string {
  return (content[0] as { text: string }).text;
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  test(`the model of the host uses the tools that a server offers, and the server runs them, on ${revision}`, async () => {
    const seen: ScriptContext[] = [];
    const items: Item[] = [];
    await using host = await hostOn(revision, seen, items);
    const { content, stopReason } = JSON.parse(textOf(await host.call('travel__research', {})));
    assert.deepEqual(content, { type: 'text', text: 'Take one: Rain in Oslo' });
    assert.equal(stopReason, 'endTurn');
    // The name has a dot, which providers do not accept.
    assert.match(seen[0]!.tools.join(), /^tool_0_city_weather$/);
    assert.equal(seen.length, 2);
    const [before, after] = items;
    assert.ok(before?.kind === 'sample' && after?.kind === 'sampled');
    assert.deepEqual(before.request.tools, [WEATHER], 'the person sees which tools');
    assert.deepEqual(
      [after.result.content].flat().map(({ type }) => type),
      ['text', 'tool_use'],
    );
    const use = [after.result.content].flat()[1];
    assert.ok(use?.type === 'tool_use');
    assert.deepEqual([use.name, use.input, after.result.stopReason], ['city.weather', { city: 'Oslo' }, 'toolUse']);
  });

  test(`the server decides whether the model must use a tool, on ${revision}`, async () => {
    await using host = await hostOn(revision, []);
    const { content, stopReason } = JSON.parse(textOf(await host.call('travel__forced', {})));
    assert.equal(stopReason, 'toolUse');
    assert.ok([content].flat().some(({ type }: { type: string }) => type === 'tool_use'));
  });
}

test('[SAMP-11] a model that uses no tool although one is required is an error for the server', async () => {
  const host = await createHost({
    servers: { travel: app },
    connect: () => ({ revision: '2025-11-25' as const }),
    rules: [{ effect: 'allow', act: 'call' }],
    sample: [{ model: scriptedModel(() => ({ text: 'No.' })), name: 'demo' }],
    approve: () => ({ allow: true }),
  });
  await host.start();
  const result = await host.call('travel__forced', {});
  assert.equal(result.isError, true);
  await host.close();
});

/** A server that samples once with these params, and returns what it got; and the problems that the host tells of. */
async function sampledWith(
  script: Parameters<typeof scriptedModel>[0],
  params: Partial<SampleParams>,
  revision: '2025-11-25' | '2026-07-28' = '2025-11-25',
) {
  const asking = server({
    name: 'travel',
    tools: {
      ask: tool({}, async (_, ctx) =>
        JSON.stringify(
          await ctx.sample('ask', {
            messages: [{ role: 'user', content: { type: 'text', text: 'Go' } }],
            maxTokens: 10,
            ...params,
          }),
        ),
      ),
    },
  });
  await using host = await createHost({
    servers: { travel: asking },
    connect: () => ({ revision }),
    rules: [{ effect: 'allow', act: 'call' }],
    sample: [{ model: scriptedModel(script), name: 'demo' }],
    approve: () => ({ allow: true }),
  });
  const problems: string[] = [];
  host.on((event) => void (event.kind === 'problem' && problems.push(event.message)));
  await host.start();
  const result = await host.call('travel__ask', {});
  return { result, text: textOf(result), problems: problems.join() };
}

for (const revision of ['2025-11-25', '2026-07-28'] as const)
  for (const [what, tools, call, why] of [
    ['arguments that are no JSON', [WEATHER], { tool: 'city.weather', arguments: '{"city": ' }, /no valid arguments/],
    ['arguments that are no object', [WEATHER], { tool: 'city.weather', arguments: '["Oslo"]' }, /no valid arguments/],
    ['a tool that was not offered', [WEATHER], { tool: 'rm', arguments: {} }, /'rm', which was not offered/],
    ['a tool although none was offered', undefined, { tool: 'rm', arguments: {} }, /'rm', which was not offered/],
  ] as const)
    test(`a model that uses ${what} is an error, and the server gets no use that it cannot act on: ${revision}`, async () => {
      const params = tools === undefined ? {} : { tools: [...tools] };
      const step = ({ tools: [name] }: ScriptContext) => ({
        calls: [{ ...call, tool: call.tool === 'rm' ? 'rm' : name! }],
      });
      const { result, text, problems } = await sampledWith(step, params, revision);
      assert.equal(result.isError, true, text);
      assert.match(`${text} ${problems}`, why);
    });

test('what a tool of the server returned reaches the model: structured content, and images as such', async () => {
  const seen: ScriptContext[] = [];
  const results = (content: object): Messages => [
    { role: 'user', content: { type: 'text', text: 'Go' } },
    { role: 'assistant', content: { type: 'tool_use', id: '1', name: 'city.weather', input: {} } },
    { role: 'user', content: { type: 'tool_result', toolUseId: '1', ...content } as never },
  ];
  const answer = (context: ScriptContext) => (seen.push(context), { text: 'Fine' });
  await sampledWith(answer, {
    messages: results({ content: [], structuredContent: { degrees: 7 } }),
    tools: [WEATHER],
  });
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  await sampledWith(answer, { messages: results({ content: [image] }), tools: [WEATHER] });
  const outputs = seen.map(({ messages }) => {
    const last = messages.at(-1)!;
    return last.role === 'tool' && last.content[0]?.type === 'tool-result' ? last.content[0].output : undefined;
  });
  assert.deepEqual(outputs[0], { type: 'text', value: '{"degrees":7}' });
  assert.equal(outputs[1]?.type, 'content');
  assert.match(JSON.stringify(outputs[1]), /image\/png/);
  const broken = await sampledWith(answer, {
    messages: results({ content: [{ ...image, data: 7 }] }),
    tools: [WEATHER],
  });
  assert.equal(broken.result.isError, true);
  assert.equal(seen.length, 2);
});

test('two tools never have one name for the model', async () => {
  const names: string[] = [];
  const other = { ...WEATHER, name: 'tool_1_city_weather' };
  const { text } = await sampledWith(
    ({ tools }) => (names.push(...tools), { calls: [{ tool: tools[1]!, arguments: { city: 'Oslo' } }] }),
    { tools: [other, WEATHER] },
  );
  assert.equal(new Set(names).size, 2);
  assert.match(text, /"name":"city.weather"/);
});
