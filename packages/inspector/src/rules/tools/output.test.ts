import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  answer,
  ask,
  call,
  cases,
  complete,
  diagnose,
  discovered,
  handshake,
  line,
  modern,
  rest,
  stdio,
  text,
  tell,
  tools,
} from '../fixtures/traces.ts';

const weather = {
  name: 'weather',
  outputSchema: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
};
function begin(revision: '2025-11-25' | '2025-06-18' | '2025-03-26' = '2025-11-25') {
  return [stdio, handshake(revision), tools(weather), call(1, 'weather')];
}
const content = [text('{}')];
const error = { blame: 'server', severity: 'error' } as const;

cases('output-schema', {
  broken: {
    'content that violates the schema': {
      ...error,
      trace: [...begin(), answer(1, { content, structuredContent: { celsius: 'warm' } })],
      says: /structuredContent of weather violates its own outputSchema: celsius: must be a number, got a string/,
      fix: /Arguments and client are not the cause/,
      cites: ['outputSchema', 'tools/call', 'warm'],
      clause: /2025-11-25\/server\/tools#output-schema$/,
    },
    'the schema that was listed last': {
      ...error,
      trace: [
        stdio,
        handshake(),
        tools({ name: 'weather', outputSchema: { type: 'object' } }),
        tell('notifications/tools/list_changed'),
        ask('again', 'tools/list'),
        answer('again', { tools: [{ ...weather, inputSchema: { type: 'object' } }] }),
        call(1, 'weather'),
        answer(1, { content, structuredContent: {} }),
      ],
      says: /celsius/,
    },
    'a tool of the second page': {
      ...error,
      trace: [
        stdio,
        handshake(),
        ask('p1', 'tools/list'),
        answer('p1', { tools: [{ name: 'a', inputSchema: { type: 'object' } }], nextCursor: 'p' }),
        ask('p2', 'tools/list', { cursor: 'p' }),
        answer('p2', { tools: [{ ...weather, inputSchema: { type: 'object' } }] }),
        call(1, 'weather'),
        answer(1, { content, structuredContent: [] }),
      ],
      says: /must be an object/,
    },
    'nothing, where 2026-07-28 tells it from no content': {
      ...error,
      trace: [
        stdio,
        discovered(),
        modern('t', 'tools/list'),
        complete('t', { tools: [{ ...weather, inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'public' }),
        modern(1, 'tools/call', { name: 'weather' }),
        complete(1, { content, structuredContent: null }),
      ],
      says: /must be an object, got null/,
    },
  },
  kept: {
    'content that fits': [...begin(), answer(1, { content, structuredContent: { celsius: 21 } })],
    'a tool that failed': [...begin(), answer(1, { content, isError: true, structuredContent: { celsius: 'warm' } })],
    'a revision without structured content': [
      ...begin('2025-03-26'),
      answer(1, { content, structuredContent: { celsius: 'warm' } }),
    ],
    'a schema that cannot be used': [
      stdio,
      handshake(),
      tools({ name: 'weather', outputSchema: { $schema: 'https://example.com/own' } }),
      call(1, 'weather'),
      answer(1, { content, structuredContent: {} }),
    ],
    'a text that lost a secret': [
      ...begin(),
      line(
        'message',
        JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content, structuredContent: { celsius: '[redacted]' } } }),
        {
          from: 'server',
          redacted: true,
        },
      ),
    ],
  },
});

it('a client that complains about invalid structured content is not to blame', () => {
  const found = diagnose(...begin(), answer(1, { content, structuredContent: { celsius: 'warm' } }), rest(10));
  assert.deepEqual(
    found.map(({ rule, blame }) => [rule, blame]),
    [['output-schema', 'server']],
  );
});

cases('output-missing', {
  broken: {
    'text alone': {
      ...error,
      trace: [...begin(), answer(1, { content })],
      says: /weather declares an outputSchema, and its result has no structuredContent/,
      cites: ['outputSchema', 'tools/call', 'content'],
    },
  },
  kept: {
    'structured content': [...begin(), answer(1, { content, structuredContent: { celsius: 1 } })],
    'a tool that failed': [...begin(), answer(1, { content, isError: true })],
    'a tool without a schema': [
      stdio,
      handshake(),
      tools({ name: 'weather' }),
      call(1, 'weather'),
      answer(1, { content }),
    ],
    'a task that only begins': [
      stdio,
      handshake(),
      tools(weather),
      ask(1, 'tools/call', { name: 'weather', task: {} }),
      answer(1, { task: { taskId: '1', status: 'working' } }),
    ],
    'a question': [
      stdio,
      discovered(),
      modern(1, 'tools/call', { name: 'weather' }),
      answer(1, { resultType: 'input_required', requestState: 'x' }),
    ],
  },
});

cases('structured-shape', {
  broken: {
    'a list where the revision wants an object': {
      ...error,
      trace: [
        stdio,
        handshake(),
        tools({ name: 'weather' }),
        call(1, 'weather'),
        answer(1, { content, structuredContent: [1] }),
      ],
      says: /structuredContent of weather is an array, not an object/,
      fix: /Wrap it/,
    },
  },
  kept: {
    'an object': [...begin('2025-06-18'), answer(1, { content, structuredContent: { celsius: 1 } })],
    'any JSON since 2026-07-28': [
      stdio,
      discovered(),
      modern(1, 'tools/call', { name: 'x' }),
      complete(1, { content, structuredContent: [1] }),
    ],
  },
});
