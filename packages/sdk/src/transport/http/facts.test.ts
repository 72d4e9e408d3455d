import assert from 'node:assert/strict';
import { test } from 'node:test';
import { META } from '../../protocol/meta.ts';
import { LEGACY, MODERN } from '../../protocol/revision.ts';
import { eraOf, idOf, isExactId, postedOf, readBody, versionIn } from './facts.ts';
import { acceptedBy, isJsonType } from './facts-media.ts';

test('which kinds of answer a client takes', () => {
  const cases: readonly (readonly [accept: string | null | undefined, json: boolean, stream: boolean])[] = [
    ['application/json, text/event-stream', true, true],
    ['text/event-stream, application/json', true, true],
    ['text/event-stream,application/json', true, true],
    ['APPLICATION/JSON;q=0.5 , Text/Event-Stream; charset=utf-8', true, true],
    ['application/json', true, false],
    ['text/event-stream', false, true],
    ['*/*', true, true],
    ['application/*', true, false],
    ['text/*;q=0.1, application/xml', false, true],
    ['text/html', false, false],
    ['', false, false],
    [undefined, true, true],
    [null, true, true],
    ['application/json;q=0, */*', false, true],
    ['*/*;q=0, application/json', true, false],
    ['application/json; q=0.0, text/event-stream;q=0.001', false, true],
    ['application/jsonp, xtext/event-stream', false, false],
  ];
  for (const [accept, json, stream] of cases) assert.deepEqual(acceptedBy(accept), { json, stream }, String(accept));
});

test('only JSON is JSON, whatever its parameters', () => {
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;x',
    ' application/json ',
  ])
    assert.equal(isJsonType(type), true, type);
  for (const type of [
    undefined,
    null,
    '',
    'text/plain',
    'application/json+x',
    'application/x-json',
    'application/json, application/json',
    'text/plain;application/json',
  ])
    assert.equal(isJsonType(type), false, String(type));
});

test('the era of a message', () => {
  const both = { modern: MODERN, legacy: LEGACY };
  const message = (method: string, version?: unknown) => ({
    method,
    params: version === undefined ? {} : { _meta: { [META.protocolVersion]: version } },
  });
  const cases: readonly (readonly [message: ReturnType<typeof message>, version: string | undefined, era: string])[] = [
    [message('ping', '2026-07-28'), undefined, 'modern'],
    [message('ping', '2026-07-28'), '2025-11-25', 'modern'],
    [message('ping', '2025-11-25'), '2025-11-25', 'modern'],
    [message('initialize', '2026-07-28'), undefined, 'modern'],
    [message('ping', 5), undefined, 'modern'],
    [message('ping'), undefined, 'legacy'],
    [message('ping'), '2024-11-05', 'legacy'],
    [message('ping'), '2026-07-28', 'modern'],
    [message('initialize'), '2026-07-28', 'modern'],
    [message('initialize'), '2025-06-18', 'legacy'],
    [message('initialize'), 'v999', 'legacy'],
    [message('ping'), 'v999', 'modern'],
    [message('ping'), '', 'modern'],
    [message('server/discover'), undefined, 'legacy'],
  ];
  for (const [sent, version, era] of cases) {
    assert.equal(eraOf(sent, version, both), era, JSON.stringify([sent, version]));
    assert.equal(eraOf(sent, version, { modern: MODERN, legacy: [] }), 'modern');
    assert.equal(eraOf(sent, version, { modern: [], legacy: LEGACY }), 'legacy');
  }
  assert.equal(eraOf({ method: 'ping' }, undefined, both), 'legacy');
});

const posted = (text: string) =>
  postedOf(
    { method: 'POST', path: '/', host: 'localhost', header: () => null, repeated: undefined, session: undefined },
    readBody(text, { depth: 8, elements: 50 }),
  );

test('a body is JSON, or what is wrong with it', () => {
  assert.deepEqual(readBody('{"a":1}', { depth: 8, elements: 50 }), { kind: 'json', value: { a: 1 } });
  const reason = (text: string) => {
    const body = readBody(text, { depth: 2, elements: 3 });
    return body.kind === 'broken' ? body.error.reason : body.kind;
  };
  assert.deepEqual(['{', '[[[]]]', '[1,2,3,4]'].map(reason), ['syntax', 'depth', 'elements']);
  assert.equal(posted('{').shape, undefined);
  assert.deepEqual(posted('[1]').shape, { kind: 'batch', items: [1] });
  assert.equal(posted('{"jsonrpc":"2.0","id":1,"method":"ping"}').shape?.kind, 'request');
});

test('the version header is read without the whitespace around it', () => {
  assert.equal(
    versionIn(() => ' 2026-07-28\t'),
    '2026-07-28',
  );
  assert.equal(
    versionIn(() => ''),
    '',
  );
  assert.equal(
    versionIn(() => null),
    undefined,
  );
  assert.equal(
    versionIn(() => undefined),
    undefined,
  );
});

test('an answer repeats the id of a request, and of nothing else', () => {
  const cases: readonly (readonly [text: string, id: unknown])[] = [
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}', 1],
    ['{"jsonrpc":"2.0","id":"1","method":"ping"}', '1'],
    ['{"jsonrpc":"2.0","id":"","method":5}', ''],
    ['{"jsonrpc":"1.0","id":2,"method":"ping"}', 2],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', undefined],
    ['{"jsonrpc":"1.0","id":1.5,"method":"ping"}', undefined],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', undefined],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', undefined],
    ['{"jsonrpc":"2.0","method":"notifications/x"}', undefined],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', undefined],
    ['{"jsonrpc":"2.0","id":1,"result":5}', undefined],
    ['{"id":1}', 1],
    ['{"jsonrpc":"2.0","id":1,"error":5}', undefined],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', undefined],
    ['{', undefined],
    ['5', undefined],
  ];
  for (const [text, id] of cases) assert.equal(idOf(posted(text)), id, text);
  assert.equal(isExactId(2 ** 53 - 1), true);
});
