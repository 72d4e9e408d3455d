import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateText, isStepCount } from 'ai';
import { scriptedModel } from '../demo-model.ts';
import { fakeToolbox } from '../fixtures/fake-toolbox.ts';
import { toolsFor } from './tools-for.ts';

function toolbox() {
  return fakeToolbox({
    look: {
      description: 'Looks.',
      schema: { $schema: 'x', type: 'object', properties: { $at: { type: 'string' } } },
      run: ({ $at }) => ({
        content: [
          { type: 'text', text: `At ${$at}` },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        ],
      }),
    },
    fail: { run: () => ({ content: [{ type: 'text', text: 'Broken' }], isError: true }) },
  });
}

test('the AI SDK gets tools that go through the toolbox', async () => {
  const box = toolbox();
  const model = scriptedModel([
    () => ({ calls: [{ tool: 'look', arguments: { $at: 'x' } }, { tool: 'fail' }] }),
    ({ results }) => ({ text: results.join('|') }),
  ]);
  const { tools } = toolsFor('ai-sdk', box);
  const { text, responseMessages } = await generateText({ model, prompt: 'Go', tools, stopWhen: isStepCount(3) });
  assert.equal(text, 'At x\n|Broken');
  assert.deepEqual(
    box.called.map(({ name }) => name),
    ['look', 'fail'],
  );
  assert.match(JSON.stringify(responseMessages), /"mediaType":"image\/png".*"error-text"/);
});

test('OpenAI gets tools and messages of Chat Completions', async () => {
  const { tools, call } = toolsFor('openai', toolbox());
  const parameters = { type: 'object', properties: { $at: { type: 'string' } } };
  assert.deepEqual(tools[0], { type: 'function', function: { name: 'look', description: 'Looks.', parameters } });
  assert.deepEqual(tools[1]?.function.parameters, { type: 'object', properties: {} });
  const message = await call({ id: '1', function: { name: 'look', arguments: '{"$at":"y"}' } });
  assert.equal(message.role, 'tool');
  assert.equal(message.tool_call_id, '1');
  assert.match(message.content, /^At y\n\n\[An image .*omitted/);
  const wrong = await call({ id: '2', function: { name: 'look', arguments: '{"$at' } });
  assert.match(wrong.content, /not a JSON object/);
  assert.match((await call({ id: '3', function: { name: 'look', arguments: '' } })).content, /At undefined/);
});

const calls = [
  { id: '1', function: { name: 'look', arguments: '{"$at":"y"}' } },
  { id: '2', function: { name: 'fail', arguments: '{}' } },
];

test('all calls of a message of Chat Completions are answered, with their images in a message of their own', async () => {
  const { answer } = toolsFor('openai', toolbox());
  const [first, second, third, ...others] = await answer(calls);
  assert.match(String(first!.content), /^At y\n\n\[The images .* next message\.\]$/);
  assert.deepEqual(second, { role: 'tool', tool_call_id: '2', content: 'Error: Broken' });
  assert.ok(third?.role === 'user');
  assert.deepEqual(third.content[1], { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } });
  assert.deepEqual(others, []);
  const [without, , ...more] = await toolsFor('openai', toolbox(), { images: false }).answer(calls);
  assert.match(String(without!.content), /^At y\n\n\[An image .*omitted/);
  assert.deepEqual(more, []);
});

test('the Responses API gets tools and items', async () => {
  const { tools, call } = toolsFor('openai-responses', toolbox());
  assert.deepEqual(
    tools.map(({ name, strict }) => [name, strict]),
    [
      ['look', false],
      ['fail', false],
    ],
  );
  const { output } = await call({ call_id: '1', name: 'look', arguments: '{"$at":"y"}' });
  assert.deepEqual(output, [
    { type: 'input_text', text: 'At y' },
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
  ]);
  const failed = await call({ call_id: '2', name: 'fail', arguments: '' }, { resultCharacters: 3 });
  assert.equal(failed.type, 'function_call_output');
  assert.match(String(failed.output), /^Error: Bro\n\[3 more/);
});

test('LangChain gets tools that are made of its own parts', async () => {
  class ToolMessage {
    readonly fields: object;
    constructor(fields: object) {
      this.fields = fields;
    }
  }
  type Run = (input: unknown, config?: { toolCall?: { id: string } }) => Promise<unknown>;
  const tool = (run: Run, fields: { name: string }) => ({ run, ...fields });
  const { tools } = toolsFor('langchain', toolbox(), { tool, ToolMessage });
  const [look, fail] = tools;
  const { fields } = (await look!.run({ $at: 'y' }, { toolCall: { id: 'a' } })) as ToolMessage;
  const { artifact: _artifact, ...rest } = fields as Record<string, unknown>;
  assert.deepEqual(rest, {
    content: [
      { type: 'text', text: 'At y' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ],
    ...{ tool_call_id: 'a', name: 'look', status: 'success' },
  });
  const failed = (await fail!.run({}, { toolCall: { id: 'b' } })) as { fields: { status: string } };
  assert.equal(failed.fields.status, 'error');
  assert.equal(await fail!.run({}), 'Broken');
});

test('Anthropic gets tools and result blocks of its Messages', async () => {
  const { tools, call } = toolsFor('anthropic', toolbox());
  assert.deepEqual(tools[0]?.input_schema, { type: 'object', properties: {} });
  assert.match(tools[0]?.description ?? '', /^Looks\.\n\nThe arguments are those of this JSON Schema: .*\$at/);
  assert.deepEqual(await call({ id: '1', name: 'look', input: { $at: 'z' } }), {
    type: 'tool_result',
    tool_use_id: '1',
    is_error: false,
    content: [
      { type: 'text', text: 'At z' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ],
  });
  assert.equal((await call({ id: '2', name: 'fail', input: {} })).is_error, true);
});

test('the options of a call are passed to the toolbox', async () => {
  const seen: unknown[] = [];
  const box = fakeToolbox({
    a: { run: (_, { signal, timeout, by }) => (seen.push([signal, timeout, by]), 'x'.repeat(50)) },
  });
  const { signal } = new AbortController();
  const { call } = toolsFor('openai', box, { timeout: 5, resultCharacters: 10 });
  const { content } = await call({ id: '1', function: { name: 'a', arguments: '{}' } }, { signal });
  assert.deepEqual(seen, [[signal, 5, 'model']]);
  assert.match(content, /^x{10}\n\[40 more characters/);
});

test('every format has its tools in `tools`', () => {
  const parts = { tool: (_run: never, fields: { name: string }) => fields, ToolMessage: Map };
  for (const format of ['ai-sdk', 'openai', 'openai-responses', 'anthropic', 'langchain'] as const) {
    const { tools } = toolsFor(format as 'langchain', toolbox(), parts as never) as { tools: object };
    assert.equal(Object.keys(tools).length, 2, format);
  }
});

test('an unknown format throws a TypeError', () => {
  assert.throws(() => toolsFor('gemini' as 'openai', toolbox()), /no format "gemini"/);
});

test('a call of a model without arguments, or with an object for them, is read', async () => {
  const { call } = toolsFor('openai', toolbox());
  for (const [given, says] of [
    [undefined, /At undefined/],
    [null, /At undefined/],
    [{ $at: 'x' }, /At x/],
    [7, /not a JSON object/],
  ] as const) {
    const { content } = await call({ id: '1', function: { name: 'look', arguments: given as never } });
    assert.match(content, says);
  }
});
