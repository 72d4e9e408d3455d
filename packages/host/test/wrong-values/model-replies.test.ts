// The replies of models and people reach a server in a valid form, or not at all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LanguageModel } from 'ai';
import { memoryPair, scriptedPeer } from 'tenon/testing';
import { createHost, type Decision, type Item, scriptedModel } from '../../src/index.ts';
import { listedTool, peerWith } from '../peer.ts';
import { ALL_KINDS, type Kind, KINDS, MISSING, withValue } from './kinds.ts';

type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>;

/** A kind of value in memory. */
function valueOf(kind: Kind): unknown {
  return kind === 'huge' ? Infinity : KINDS[kind];
}

/** The arguments of a call as a model writes them. */
function written(kind: Kind): string {
  return kind === 'missing' || kind === 'control'
    ? String(valueOf(kind) === MISSING ? '' : valueOf(kind))
    : JSON.stringify(KINDS[kind]);
}

test('a server gets only calls whose arguments are an object', async () => {
  for (const kind of ALL_KINDS) {
    const peer = peerWith({ tools: [listedTool('act')] });
    const host = await createHost({ servers: { x: peer.target }, rules: [{ effect: 'allow', server: '*' }] });
    await using _ = host;
    await host.start();
    const wholly = { tool: 'x__act', arguments: written(kind) };
    const within = { tool: 'x__act', arguments: kind === 'missing' ? {} : `{"a":${JSON.stringify(KINDS[kind])}}` };
    const named = { tool: kind === 'long' ? 'y'.repeat(1_000_000) : written(kind) || 'x__', arguments: {} };
    const model = scriptedModel([() => ({ calls: [wholly, within, named] }), () => ({ text: 'Done' })]);
    const { end, calls } = await host.run({ model, prompt: 'Do it' });
    assert.equal(end, 'done', kind);
    const received = peer.connections
      .flatMap((one) => one.calls('tools/call'))
      .map(({ params }) => params!['arguments']);
    // The first is a call only if the model wrote an object, the last never is.
    const isObject = kind === 'object' || kind === 'missing';
    assert.equal(received.length, isObject ? 2 : 1, kind);
    for (const args of received) assert.ok(typeof args === 'object' && args !== null && !Array.isArray(args), kind);
    assert.deepEqual(
      calls.map(({ isError }) => isError),
      [!isObject, false, true],
      kind,
    );
  }
});

/** Sends a sampling request to a host, and resolves with the complete response. */
async function sampled(model: Model, decide: (item: Item) => Decision = () => ({ allow: true })) {
  const problems: string[] = [];
  const [near, far] = memoryPair();
  const peer = scriptedPeer(far, {
    initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } },
    'notifications/initialized': () => {},
  });
  const host = await createHost({ servers: { x: near }, sample: [{ model, name: 'demo' }], approve: decide });
  await using _ = host;
  host.on((event) => void (event.kind === 'problem' && problems.push(event.message)));
  await host.start();
  const messages = [{ role: 'user', content: { type: 'text', text: 'Hi' } }];
  const { result, error } = (await peer.request('sampling/createMessage', { messages, maxTokens: 10 })) as {
    result?: { role: unknown; model: unknown; stopReason?: unknown; content: { type: unknown; text: unknown } };
    error?: { message: string };
  };
  return { result, error, problems };
}

function assertAnswered({ result, error }: Awaited<ReturnType<typeof sampled>>, where: string): void {
  if (result === undefined) return assert.ok(error!.message !== '', where);
  const { role, model, stopReason, content } = result;
  assert.ok(role === 'assistant' || role === 'user', where);
  assert.deepEqual([typeof model, content.type, typeof content.text], ['string', 'text', 'string'], where);
  assert.ok(stopReason === undefined || typeof stopReason === 'string', where);
}

const REPLY = {
  content: [{ type: 'text', text: 'Hello' }],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
  warnings: [],
};

test('a server gets a complete sampling result or an error, whatever the model replied', async () => {
  for (const path of [
    '',
    'content',
    'content.0',
    'content.0.type',
    'content.0.text',
    'finishReason',
    'finishReason.unified',
    'usage',
  ]) {
    for (const kind of ALL_KINDS) {
      const value = valueOf(kind);
      const model: Model = {
        ...scriptedModel(() => ({ text: '' })),
        doGenerate: async () => withValue(REPLY, path, value) as never,
      };
      assertAnswered(await sampled(model), `${path} ${kind}`);
    }
  }
});

const ANSWER = { role: 'assistant', content: { type: 'text', text: 'Mine' }, model: 'me', stopReason: 'endTurn' };
const REQUEST = { messages: [{ role: 'user', content: { type: 'text', text: 'Ho' } }], maxTokens: 5, temperature: 1 };

test('a sampling request or result that a person edited is sent completely or not at all', async () => {
  const model = scriptedModel(() => ({ text: 'Hello' }));
  const places = [
    ...['', 'role', 'content', 'content.type', 'content.text', 'model', 'stopReason'].map(
      (path) => ['sampled', path] as const,
    ),
    ...['', 'messages', 'messages.0', 'messages.0.role', 'messages.0.content', 'maxTokens', 'temperature'].map(
      (path) => ['sample', path] as const,
    ),
  ];
  for (const [kind, path] of places) {
    for (const wrong of ALL_KINDS) {
      const decide = (item: Item): Decision => {
        if (item.kind !== kind) return { allow: true };
        const member =
          kind === 'sampled'
            ? { result: withValue(ANSWER, path, valueOf(wrong)) }
            : { request: withValue(REQUEST, path, valueOf(wrong)) };
        return { allow: true, ...member } as Decision;
      };
      const answered = await sampled(model, decide);
      assertAnswered(answered, `${kind} ${path} ${wrong}`);
      // An invalid decision is rejected, and the person gets the reason.
      if (answered.error !== undefined)
        assert.match(
          answered.problems.join(),
          /failed for an item of the kind \w+, so it is denied: \S/,
          `${kind} ${path} ${wrong}`,
        );
    }
  }
});
