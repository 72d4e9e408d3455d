import assert from 'node:assert/strict';
import { test } from 'node:test';
import { server, tool } from 'tenon';
import { createHost, scriptedModel } from './index.ts';

test('unknown and invalid options are refused with a message that says what to do', async () => {
  for (const [options, message] of [
    [undefined, 'createHost needs an object with "servers"'],
    [[], 'createHost needs an object with "servers"'],
    [{}, 'A host needs the option "servers": targets by name'],
    [{ serverz: {} }, 'A host has no option "serverz". Did you mean "servers"?'],
    [{ servers: {}, aprove: () => ({ allow: true }) }, 'A host has no option "aprove". Did you mean "approve"?'],
    [
      { servers: {}, onEvent: () => {} },
      /^A host has no option "onEvent"\. There are servers, state, rules, approve, .*, limits$/,
    ],
    [{ servers: 'https://example.com' }, 'The option "servers" must be an object of targets by name, or a list'],
    [{ servers: {}, approve: true }, 'The option "approve" must be a function'],
    [{ servers: {}, rules: {} }, 'The option "rules" must be a list'],
    [{ servers: {}, roots: '/tmp' }, 'The option "roots" must be a list'],
    [{ servers: {}, state: '' }, 'The option "state" must be a path that is not empty, or a store'],
    [{ servers: {}, limits: { startMS: 3 } }, 'A host has no limit "startMS". Did you mean "startMs"?'],
    [
      { servers: {}, limits: { callMs: Infinity } },
      'The limit "callMs" must be a number of milliseconds, more than 0 and at most 2147483647',
    ],
    [{ servers: {}, limits: { sampleTokens: 0 } }, 'The limit "sampleTokens" must be an integer of at least 1'],
  ] as const)
    await assert.rejects(createHost(options as never), { name: 'TypeError', message });
});

test('an option that is undefined is as if it were left out', async () => {
  const app = server({ name: 'x', tools: { act: tool({}, () => 'a'.repeat(2_000)) } });
  await using host = await createHost({
    servers: { x: app },
    state: undefined,
    rules: [{ effect: 'allow' }],
    limits: { startMs: undefined!, resultCharacters: undefined! },
  });
  await host.start();
  const model = scriptedModel(({ results }) =>
    results.length === 0 ? { calls: [{ tool: 'x__act' }] } : { text: String(results[0]!.length) },
  );
  assert.equal((await host.run({ model, prompt: 'Hi' })).text, '2000');
});
