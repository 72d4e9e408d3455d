import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilter } from '../../../../src/trace/filter.ts';
import type { TraceRow } from '../../../../src/api/views.ts';
import { createTraceIndex } from '../../../../src/trace/trace-index.ts';
import { argumentsIn, callsOf, filterOf } from './calls.ts';

test('the filter for the calls of a tool is valid for any name', () => {
  for (const subject of ['add', 'a b', 'a"b', 'a\\', '"', '*', "it's", 'file:///x?y=z', '-n', 'ü 漢']) {
    const filter = filterOf({ server: 'my "server"', method: 'tools/call', subject });
    assert.equal(parseFilter(filter).problem, undefined, filter);
  }
});

/** The rows of the requests in a trace of messages, 10 ms apart. */
function requestsIn(...messages: readonly object[]): TraceRow[] {
  const index = createTraceIndex();
  for (const [at, message] of messages.entries()) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    const from = 'method' in message ? 'client' : 'server';
    index.add({ n: at + 1, at: (at + 1) * 10, session: 's', kind: 'message', from, text });
  }
  return index.all.filter(({ message }) => message === 'request').map((facts) => ({ ...facts, text: '' }));
}

const asks = { resultType: 'input_required', inputRequests: { form: {} }, requestState: 'x' };
function call(id: number, more: object = {}): object {
  return {
    id,
    method: 'tools/call',
    params: { name: 'form', ...more },
  };
}
const told = { inputResponses: { form: {} }, requestState: 'x' };

test('requests that answer a question belong to its call', () => {
  const rows = requestsIn(
    call(1),
    { id: 1, result: asks },
    call(2, told),
    { id: 2, result: { content: [] } },
    call(3),
    { id: 3, result: asks },
    call(4, told),
  );
  assert.deepEqual(
    callsOf(rows).map(({ request, response, lines, at, ms, outcome }) => [request, response, lines, at, ms, outcome]),
    [
      [1, 4, [1, 2, 3, 4], 10, 30, 'ok'],
      [5, undefined, [5, 6, 7], 50, undefined, 'pending'],
    ],
  );
});

test('an answer to a question of a call that was not loaded begins a new call', () => {
  const rows = requestsIn(call(1), { id: 1, result: asks }, call(2, told), { id: 2, result: {} });
  assert.deepEqual(
    callsOf(rows.slice(1)).map(({ lines }) => lines),
    [[3, 4]],
  );
});

test('the arguments of a request are shown without its other members', () => {
  const begin = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",';
  const meta = '"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"x"}}}}';
  for (const [text, shown] of [
    [`${begin}"arguments":{"a":"} \\" ]","b":[1,{}]},${meta}`, '{"a":"} \\" ]","b":[1,{}]}'],
    [`${begin}"arguments":{},${meta}`, '{}'],
    [`${begin}"arguments":null,${meta}`, 'null'],
    [`${begin}"arguments":"x"}}`, '"x"'],
    [`${begin}"arguments":{"a":"cut of`, '{"a":"cut of…'],
    [`${begin}${meta}`, ''],
  ] as const)
    assert.equal(argumentsIn(text), shown);
});
