import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { toolsFor } from '@tenon/host';
import { anthropicResults, EXPECTED, startAnthropic, startHost } from './host.ts';

test("Anthropic's Messages get results, images and errors", async () => {
  await using host = await startHost();
  await using provider = await startAnthropic();
  const client = new Anthropic({ baseURL: provider.url, apiKey: 'none' });
  const { tools, call } = toolsFor('anthropic', host);
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Go' }];
  const ask = () => client.messages.create({ model: 'local', max_tokens: 100, messages, tools });
  const first = await ask();
  const uses = first.content.filter((block) => block.type === 'tool_use');
  messages.push({ role: 'assistant', content: first.content });
  messages.push({ role: 'user', content: await Promise.all(uses.map((use) => call(use))) });
  const [block] = (await ask()).content;
  assert.ok(block?.type === 'text' && block.text === 'Sunny');
  assert.deepEqual(anthropicResults(provider), EXPECTED);
});
