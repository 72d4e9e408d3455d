// The stand-in for the models speaks each format, and notes what a host offered and returned.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHost } from '@tenon/host';
import { server, tool } from 'tenon';
import { anthropicWire } from '../packages/host/test/models/anthropic-wire.ts';
import { compatibleWire, openAiWire } from '../packages/host/test/models/openai-wire.ts';
import { responsesWire } from '../packages/host/test/models/responses-wire.ts';
import { type Model, startModel } from './model.ts';

const ARGS = { a: 1, b: 2 };
const SCHEMA = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } as const;
const math = server({
  name: 'math',
  version: '1.0.0',
  tools: {
    add: tool({ input: SCHEMA }, (numbers) => {
      const { a, b } = numbers as typeof ARGS;
      return `${a} + ${b} = ${a + b}`;
    }),
  },
});

function start(): Promise<Model> {
  return startModel({ server: 'math', tool: 'add', args: ARGS });
}

/** The objects of the events that answer a request. */
async function post(model: Model, path: string, body: object): Promise<any[]> {
  const response = await fetch(`${model.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  return [...(await response.text()).matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json!) as unknown);
}

for (const wire of [anthropicWire, openAiWire, compatibleWire, responsesWire])
  test(`${wire.name}: a host that runs a prompt calls the tool, and the model says what it answered`, async () => {
    await using model = await start();
    await using host = await createHost({ servers: { math }, rules: [{ effect: 'allow', tool: 'add' }] });
    await host.start();
    const { end, text } = await host.run({ model: wire.model(`${model.url}/v1`), prompt: 'Add 1 and 2.' });
    assert.deepEqual([end, text], ['done', 'The tool says: 1 + 2 = 3']);
    assert.deepEqual(model.seen, { tool: 'listed', result: '1 + 2 = 3' });
  });

test('Gemini: the tool is called as Gemini CLI expects it', async () => {
  await using model = await start();
  const path = '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse';
  const tools = [{ functionDeclarations: [{ name: 'mcp_math_add', parametersJsonSchema: SCHEMA }] }];
  const asked = { role: 'user', parts: [{ text: 'Add 1 and 2.' }] };
  const [called] = await post(model, path, { contents: [asked], tools });
  const { content, finishReason } = called.candidates[0];
  assert.equal(finishReason, 'STOP');
  const [{ functionCall }] = content.parts;
  assert.deepEqual([functionCall.name, functionCall.args], ['mcp_math_add', ARGS]);
  const functionResponse = { ...functionCall, args: undefined, response: { output: '1 + 2 = 3' } };
  const returned = { role: 'user', parts: [{ functionResponse }] };
  const [said] = await post(model, path, { contents: [asked, content, returned], tools });
  assert.match(said.candidates[0].content.parts[0].text, /1 \+ 2 = 3/);
  assert.deepEqual(model.seen, { tool: 'listed', result: '{"output":"1 + 2 = 3"}' });
});

test('Responses: a tool in a namespace is called in it, as Codex offers it', async () => {
  await using model = await start();
  const tools = [
    { type: 'web_search' },
    { type: 'namespace', name: 'mcp__math', tools: [{ type: 'function', name: 'add', parameters: SCHEMA }] },
  ];
  const asked = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Add 1 and 2.' }] };
  const called = await post(model, '/v1/responses', { input: [asked], tools });
  const { item } = called.find(({ type }) => type === 'response.output_item.done');
  assert.deepEqual([item.namespace, item.name, item.arguments], ['mcp__math', 'add', '{"a":1,"b":2}']);
  const output = ['Wall time: 0.01 seconds', '1 + 2 = 3'].map((text) => ({ type: 'input_text', text }));
  const returned = { type: 'function_call_output', call_id: item.call_id, output };
  const said = await post(model, '/v1/responses', { input: [asked, item, returned], tools });
  assert.match(said.at(-1).response.output[0].content[0].text, /1 \+ 2 = 3/);
});

function chatTools(...names: string[]): object[] {
  return names.map((name) => ({ type: 'function', function: { name, parameters: {} } }));
}
function chatCall(chunks: any[]): { name: string; input: unknown; id: string } {
  const deltas = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }: any) => delta.tool_calls ?? []));
  const input: unknown = JSON.parse(deltas.map((delta) => delta.function.arguments).join(''));
  return { name: deltas[0].function.name, input, id: deltas[0].id };
}
const CHAT = '/v1/chat/completions';

test('a tool that a host does not list is searched for, and called through the tool for that, as Qwen Code has it', async () => {
  await using model = await start();
  const tools = chatTools('read_file', 'tool_search', 'tool_call');
  const searched = chatCall(await post(model, CHAT, { messages: [{ role: 'user', content: 'Add.' }], tools }));
  assert.deepEqual(searched.input, { query: '+math add', max_results: 5 });
  assert.equal(model.seen.tool, undefined);
  const found = [{ type: 'text', text: '<function>{"name":"mcp__math__add"}</function>' }];
  const messages = [{ role: 'tool', tool_call_id: searched.id, content: found }];
  const called = chatCall(await post(model, CHAT, { messages, tools }));
  assert.deepEqual([called.name, called.input], ['tool_call', { name: 'mcp__math__add', arguments: ARGS }]);
  assert.equal(model.seen.tool, 'found by search');
});

test('a tool that a host lists after a search is called, as Claude Code has it', async () => {
  await using model = await start();
  const tools = [{ name: 'ToolSearch', input_schema: {} }];
  const path = '/v1/messages?beta=true';
  await post(model, path, { messages: [{ role: 'user', content: 'Add.' }], tools });
  const references = [{ type: 'tool_reference', tool_name: 'mcp__math__add' }];
  const found = { type: 'tool_result', tool_use_id: 'call_ToolSearch', content: references };
  const more = [...tools, { name: 'mcp__math__add', input_schema: SCHEMA, defer_loading: true }];
  const called = await post(model, path, { messages: [{ role: 'user', content: [found] }], tools: more });
  const { content_block: block } = called.find(({ type }) => type === 'content_block_start');
  assert.deepEqual([block.type, block.name], ['tool_use', 'mcp__math__add']);
  assert.equal(model.seen.tool, 'found by search');
});

test('other requests are answered, and call nothing', async () => {
  await using model = await start();
  for (const tools of [undefined, chatTools('math_addition', 'mathematics_add', 'calculator_add')]) {
    const chunks = await post(model, CHAT, { messages: [{ role: 'user', content: 'A title?' }], tools });
    assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), 'ok');
  }
  assert.equal((await fetch(`${model.url}/v1/models`)).status, 404);
  assert.deepEqual(model.seen, {});
});
