import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOG_LEVELS } from '../protocol/log.ts';
import { encodeJson } from '../wire/json.ts';
import { type AskAccess, createCallContext, createContext } from './call-context.ts';
import { fakeRequestContext, type FakeOptions } from './fixtures/request-context.ts';

const NO_QUESTIONS: AskAccess = { callId: () => 'call', open: () => assert.fail('the asker was created') };

function call(options: FakeOptions = {}) {
  const request = fakeRequestContext(options);
  return { request, ctx: createCallContext(request, NO_QUESTIONS) };
}

test('[PROG-3] progress that does not increase is left out, and so is a value that is not a number', () => {
  const { request, ctx } = call({ meta: { progressToken: 't' } });
  for (const at of [1, 1, 0.5, 2, Number.NaN, Number.POSITIVE_INFINITY, 2, 2.5, -1]) ctx.progress({ progress: at });
  assert.deepEqual(
    request.sent.map(({ params }) => params['progress']),
    [1, 2, 2.5],
  );
});

test('[PROG-4] progress may begin at any value; total and message are sent if they are given', () => {
  const { request, ctx } = call({ meta: { progressToken: 0 } });
  ctx.progress({ progress: -5 });
  ctx.progress({ progress: 0, total: 10, message: 'begun' });
  ctx.progress({ progress: 1, total: Number.NaN });
  assert.deepEqual(
    request.sent.map(({ params }) => params),
    [
      { progressToken: 0, progress: -5 },
      { progressToken: 0, progress: 0, total: 10, message: 'begun' },
      { progressToken: 0, progress: 1 },
    ],
  );
});

test('[PROG-1] without a token that is a string or a number no progress is sent', () => {
  for (const progressToken of [undefined, null, true, {}, []]) {
    const { request, ctx } = call({ meta: { progressToken } });
    ctx.progress({ progress: 1 });
    assert.deepEqual(request.sent, []);
  }
});

test('[LOG-7] [LOG-6] messages below the level are not sent, and none at all without a level', () => {
  for (const [at, logLevel] of LOG_LEVELS.entries()) {
    const { request, ctx } = call({ logLevel });
    for (const level of LOG_LEVELS) ctx.log(level, level);
    assert.deepEqual(
      request.sent.map(({ params }) => params['level']),
      LOG_LEVELS.slice(at),
    );
  }
  const { request, ctx } = call();
  for (const level of LOG_LEVELS) ctx.log(level, level);
  ctx.log('loud' as never, 'x');
  assert.deepEqual(request.sent, []);
});

test('a log message has its data, null if there is none, and a logger if one is given', () => {
  const { request, ctx } = call({ logLevel: 'debug' });
  ctx.log('info', undefined);
  ctx.log('info', { a: 1 }, 'db');
  assert.deepEqual(
    request.sent.map(({ params }) => JSON.parse(encodeJson(params)) as unknown),
    [
      { level: 'info', data: null },
      { level: 'info', logger: 'db', data: { a: 1 } },
    ],
  );
});

test('log data that is not JSON does not make the call fail: it is described instead', () => {
  const request = fakeRequestContext({ logLevel: 'debug' });
  const sent: string[] = [];
  const ctx = createContext({ ...request, notify: (_, params) => void sent.push(encodeJson(params)) });
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  ctx.log('info', loop);
  ctx.log('info', { big: 1n });
  assert.deepEqual(
    sent.map((text) => JSON.parse(text).data),
    [
      "(data that cannot be sent: The value contains itself at member 'self')",
      "(data that cannot be sent: JSON has no BigInt at member 'big': use a number or a string)",
    ],
  );
});

test('members can be destructured from the context', () => {
  const request = fakeRequestContext({ meta: { progressToken: 1 }, logLevel: 'debug', principal: { id: 'ann' } });
  const { progress, log, client, principal, _meta: meta, signal } = createCallContext(request, NO_QUESTIONS);
  progress({ progress: 1 });
  log('info', 'x');
  assert.equal(request.sent.length, 2);
  assert.deepEqual(
    [client.name, client.version, client.can('sampling'), principal?.id, meta['progressToken']],
    ['fake', '1', true, 'ann', 1],
  );
  assert.equal(signal, request.signal);
});

test("the client's capabilities can be checked before anything is asked", () => {
  const can = (capabilities: FakeOptions['capabilities']) => {
    const { ctx } = call(capabilities === undefined ? {} : { capabilities });
    return (['elicitation', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'] as const).filter((ability) =>
      ctx.client.can(ability),
    );
  };
  assert.deepEqual(can({}), []);
  assert.deepEqual(can({ elicitation: {} }), ['elicitation']);
  assert.deepEqual(can({ elicitation: { url: {} } }), ['elicitation.url']);
  assert.deepEqual(can({ sampling: {}, roots: {} }), ['sampling', 'roots']);
});
