import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect, type Revision } from 'tenon/client';
import { startOffline } from './offline.ts';

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
const { url: WEATHER_API, close } = await startOffline();
after(close);
const target = { command: process.execPath, args: [fileOf('server.ts')], env: { WEATHER_API } };

test('alerts and forecasts work in every revision, with the server started like by a host', async () => {
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as Revision[]) {
    await using client = await connect(target, { revision });
    assert.match(
      String(await client.call('get_alerts', { state: 'ca' })),
      /^Active alerts for CA:\n\nEvent: Wind Advisory\n/,
    );
    assert.equal(await client.call('get_alerts', { state: 'NY' }), 'No active alerts for NY');
    const forecast = String(await client.call('get_forecast', { latitude: 37.7749, longitude: -122.4194 }));
    assert.match(
      forecast,
      /^Forecast for 37\.7749,-122\.4194:\n\nTonight:\nTemperature: 52°F\nWind: 5 mph W\nPartly Cloudy\n---/,
    );
    assert.equal(forecast.split('---').length, 5);
    await assert.rejects(client.call('get_forecast', { latitude: 52.5, longitude: 13.4 }), /status 404/);
    await assert.rejects(client.call('get_alerts', { state: 'California' }), { name: 'ToolError' });
  }
  await using offline = await connect({ ...target, env: { WEATHER_API: 'http://127.0.0.1:1' } });
  await assert.rejects(offline.call('get_alerts', { state: 'CA' }), /could not be reached/);
});

test('a chat: the model calls the tools, and gets their errors', async () => {
  const heard: { messages: { role: string; content: string }[]; tools: { function: { name: string } }[] }[] = [];
  const calls = [
    { name: 'get_alerts', arguments: '{"state":"CA"}' },
    { name: 'get_forecast', arguments: '{"latitude":52.5,"longitude":13.4}' },
    { name: 'get_alerts', arguments: '{broken' },
  ];
  const model = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const asked = JSON.parse(text) as (typeof heard)[0];
      heard.push(asked);
      const message =
        asked.messages.at(-1)?.role === 'user'
          ? {
              role: 'assistant',
              content: null,
              tool_calls: calls.map((one, index) => ({ id: `c${index}`, type: 'function', function: one })),
            }
          : { role: 'assistant', content: 'It is windy.' };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [{ message }] }));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => model.once('listening', resolve));
  after(() => model.close());
  const OPENAI_BASE_URL = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
  const child = spawn(process.execPath, [fileOf('chat.ts'), process.execPath, fileOf('server.ts')], {
    env: { ...process.env, OPENAI_BASE_URL, OPENAI_API_KEY: 'key', WEATHER_API },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stdin.end('How is the weather in California?\n');
  await new Promise((resolve) => child.once('close', resolve));
  assert.match(out, /> It is windy\.\n/);
  assert.deepEqual(
    heard[0]!.tools.map((one) => one.function.name),
    ['get_alerts', 'get_forecast'],
  );
  const results = heard[1]!.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  assert.match(results[0]!, /Wind Advisory/);
  assert.match(results[1]!, /status 404/);
  assert.match(results[2]!, /^Error: /);
});
