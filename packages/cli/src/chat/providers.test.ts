import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createHost } from '@tenon/host';
import { findModel } from './providers.ts';

test('without a key there is no model, and a named model reports the missing variable', async () => {
  assert.equal(await findModel(undefined, {}), undefined);
  await assert.rejects(findModel('anthropic/x', {}), /ANTHROPIC_API_KEY/);
  await assert.rejects(findModel('openai/x', { OPENAI_API_KEY: '' }), /OPENAI_API_KEY/);
  await assert.rejects(findModel('gpt', {}), /is not a model/);
  await assert.rejects(findModel('other/x', {}), /is not a model/);
  await assert.rejects(findModel(undefined, { OPENAI_BASE_URL: 'http://localhost:1/v1' }), /Which model/);
  await assert.rejects(findModel('openai/x', { OPENAI_BASE_URL: 'file:///etc/passwd' }), /not a URL/);
});

test('the key that is set chooses the provider', async () => {
  assert.match(
    (await findModel(undefined, { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }))!.name,
    /^anthropic\/claude-/,
  );
  assert.match((await findModel(undefined, { OPENAI_API_KEY: 'k' }))!.name, /^openai\/gpt-/);
  const demo = await findModel('demo', {});
  assert.deepEqual([demo!.name, demo!.script], ['demo', true]);
});

test('a script in a file is named after the file, and another model by its provider', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'model-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const model = (id: string) => `export default { provider: 'mine', modelId: '${id}', doStream() {} };`;
  await writeFile(join(folder, 'plan.mjs'), model('demo-script'));
  await writeFile(join(folder, 'big.mjs'), model('large'));
  const found = await Promise.all(['plan.mjs', 'big.mjs'].map((name) => findModel(join(folder, name), {})));
  assert.deepEqual(
    found.map((each) => [each!.name, each!.script]),
    [
      ['plan.mjs', true],
      ['mine/large', false],
    ],
  );
});

test('any OpenAI-compatible server can be used, with a name that has slashes in it', async () => {
  const asked: { path: string; body: Record<string, unknown>; key: string | undefined }[] = [];
  const bodyOf = async (request: IncomingMessage): Promise<string> => (await request.toArray()).join('');
  const server = createServer(async (request, response) => {
    asked.push({
      path: request.url!,
      body: JSON.parse(await bodyOf(request)) as Record<string, unknown>,
      key: request.headers.authorization,
    });
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      `${chunk({ role: 'assistant', content: 'Hel' }, null)}${chunk({ content: 'lo' }, 'stop')}data: [DONE]\n\n`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const found = await findModel('openai/org/small:7b', { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: 'secret' });
  await using host = await createHost({ servers: {} });
  const result = await host.run({ model: found!.model, prompt: 'Hi' });
  assert.deepEqual([result.end, result.text], ['done', 'Hello']);
  assert.deepEqual(
    [asked[0]!.path, asked[0]!.body['model'], asked[0]!.key],
    ['/v1/chat/completions', 'org/small:7b', 'Bearer secret'],
  );
});
