import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatAnthropic } from '@langchain/anthropic';
import { ToolMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { toolsFor } from '@tenon/host';
import { createAgent } from 'langchain';
import { anthropicResults, EXPECTED, PNG, startAnthropic, startHost } from './host.ts';

test('an agent of LangChain gets results, images and errors, and goes on after an error', async () => {
  await using host = await startHost();
  await using provider = await startAnthropic();
  const model = new ChatAnthropic({ model: 'local', apiKey: 'none', anthropicApiUrl: provider.url });
  const agent = createAgent({ model, ...toolsFor('langchain', host, { tool, ToolMessage }) });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Go' }] });
  assert.equal(messages.at(-1)!.text, 'Sunny');
  const results = anthropicResults(provider) as typeof EXPECTED;
  assert.deepEqual(
    results.map(({ id, text, images }) => ({ id, text, images })),
    EXPECTED.map(({ id, text, images }) => ({ id, text, images })),
  );
  const toolMessages = messages.filter((message) => ToolMessage.isInstance(message));
  assert.deepEqual(
    toolMessages.map(({ name, status }) => [name, status]),
    [
      ['w__look', 'success'],
      ['w__photo', 'success'],
      ['w__fail', 'error'],
    ],
  );
  // The result as the server sent it, with structured content.
  assert.deepEqual((toolMessages[0]!.artifact as { content: unknown }).content, [
    { type: 'text', text: 'Sun in Oslo' },
  ]);
});

test('a tool that the program invokes itself gives the content', async () => {
  await using host = await startHost();
  const { tools } = toolsFor('langchain', host, { tool, ToolMessage });
  const [, look, photo] = tools as StructuredToolInterface[];
  assert.equal(await look!.invoke({ city: 'Oslo' }), 'Sun in Oslo');
  assert.match(
    JSON.stringify(await photo!.invoke({ city: 'Rome' })),
    new RegExp(`data:image/png;base64,${PNG.slice(0, 20)}`),
  );
});

test('without its parts, the format says what it needs', async () => {
  await using host = await startHost();
  assert.throws(() => toolsFor('langchain', host, {} as never), /needs the options "tool" of @langchain\/core\/tools/);
});
