import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { createAnthropic as anthropic7 } from '@ai-sdk/anthropic';
import { type AiSdkTools, type Host, toolsFor } from '@tenon/host';
import * as ai7 from 'ai';
import * as ai5 from 'ai5';
import { createAnthropic as anthropic5 } from 'ai5-anthropic';
import * as ai6 from 'ai6';
import { createAnthropic as anthropic6 } from 'ai6-anthropic';
import { anthropicResults, EXPECTED, startAnthropic, startHost } from './host.ts';

const COMMON = { prompt: 'Go', maxOutputTokens: 100 } as const;

/** A run with each version of the AI SDK: two steps with these tools, against a provider at this URL. */
const VERSIONS = {
  5: async (baseURL: string, tools: AiSdkTools['tools']) => {
    const model = anthropic5({ baseURL, apiKey: 'none' })('local');
    return ai5.generateText({ model, tools, ...COMMON, stopWhen: ai5.stepCountIs(3) });
  },
  6: async (baseURL: string, tools: AiSdkTools['tools']) => {
    const model = anthropic6({ baseURL, apiKey: 'none' })('local');
    return ai6.generateText({ model, tools, ...COMMON, stopWhen: ai6.stepCountIs(3) });
  },
  7: async (baseURL: string, tools: AiSdkTools['tools']) => {
    const model = anthropic7({ baseURL, apiKey: 'none' })('local');
    return ai7.generateText({ model, tools, ...COMMON, stopWhen: ai7.isStepCount(3) });
  },
} as const;

for (const [version, run] of Object.entries(VERSIONS))
  test(`ai ${version} gives results, images and errors to the model, without a warning`, async (t) => {
    const warnings: unknown[] = [];
    t.mock.method(console, 'warn', (text: unknown) => warnings.push(text));
    const onWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', onWarning);
    t.after(() => process.off('warning', onWarning));
    await using host = await startHost();
    await using provider = await startAnthropic();
    const { text } = await run(provider.url, toolsFor('ai-sdk', host).tools);
    assert.equal(text, 'Sunny');
    assert.deepEqual(anthropicResults(provider), EXPECTED);
    // Warnings of a process are told later.
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(warnings, []);
  });

/** A message of a conversation that was stored as JSON, with the result of a call. */
async function storedMessage(host: Host): Promise<{ role: 'assistant'; parts: never[] }> {
  const output = await host.call('w__photo', { city: 'Rome' });
  const call = { toolName: 'w__photo', toolCallId: 'a', input: {} };
  const part = { type: 'dynamic-tool', state: 'output-available', ...call, output };
  return JSON.parse(JSON.stringify({ role: 'assistant', parts: [part] })) as { role: 'assistant'; parts: never[] };
}

const CONVERTERS = {
  5: (message: { role: 'assistant'; parts: never[] }, tools: AiSdkTools['tools']) =>
    ai5.convertToModelMessages([message], { tools }),
  6: (message: { role: 'assistant'; parts: never[] }, tools: AiSdkTools['tools']) =>
    ai6.convertToModelMessages([message], { tools }),
  7: (message: { role: 'assistant'; parts: never[] }, tools: AiSdkTools['tools']) =>
    ai7.convertToModelMessages([message], { tools }),
} as const;

for (const [version, convert] of Object.entries(CONVERTERS))
  test(`ai ${version} keeps the images of a conversation that was stored`, async () => {
    await using host = await startHost();
    const messages = await convert(await storedMessage(host), toolsFor('ai-sdk', host).tools);
    const part = version === '5' ? 'media' : 'image-data';
    assert.match(JSON.stringify(messages), new RegExp(`This is Rome.*"type":"${part}"`));
  });
