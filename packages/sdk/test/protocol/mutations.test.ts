// Valid messages with one part changed: every message is answered or ignored by the rules, and the server keeps working.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Revision } from '../../src/entries/index.ts';
import { makeApp } from './app.ts';
import { claimed, dialog, type Dialog, type Message } from './dialog.ts';

const VALID: readonly { readonly method: string; readonly params?: object; readonly id?: true }[] = [
  { method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } }, id: true },
  { method: 'tools/call', params: { name: 'echo', arguments: { deep: [{ er: null }] } }, id: true },
  { method: 'tools/call', params: { name: 'work', _meta: { progressToken: 't' } }, id: true },
  { method: 'tools/list', id: true },
  { method: 'resources/read', params: { uri: 'item:///1' }, id: true },
  { method: 'resources/templates/list', params: {}, id: true },
  { method: 'prompts/get', params: { name: 'greet', arguments: { name: 'Ann' } }, id: true },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'a' } },
    id: true,
  },
  { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} }, id: true },
  { method: 'server/discover', id: true },
  { method: 'resources/subscribe', params: { uri: 'test://a' }, id: true },
  { method: 'logging/setLevel', params: { level: 'debug' }, id: true },
  { method: 'notifications/cancelled', params: { requestId: 1, reason: 'x' } },
  { method: 'notifications/initialized' },
];

type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** All objects and arrays in a value, so that a change can happen anywhere. */
function containers(value: unknown): object[] {
  return typeof value !== 'object' || value === null ? [] : [value, ...Object.values(value).flatMap(containers)];
}

const someJson = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
  fc.constantFrom<Json>(null, '', 0, -1, 1.5, true, [], {}, 'tools/call', '2.0', 'x'.repeat(200)),
);
const someName = fc.oneof(
  fc.string(),
  fc.constantFrom('id', 'method', 'params', 'result', 'error', 'jsonrpc', '_meta', '__proto__', 'name', 'cursor'),
);

/** One change: to the value, or to its text. */
const change = fc.record({
  kind: fc.constantFrom('set', 'set', 'delete', 'add', 'cut', 'insert', 'repeat', 'wrap'),
  where: fc.nat(),
  which: fc.nat(),
  value: someJson,
  name: someName,
  text: fc.string({ maxLength: 3 }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(message: object, { kind, where, which, value, name, text }: Change): string {
  const copy = structuredClone(message);
  const all = containers(copy);
  const target = all[where % all.length] as Record<string, unknown>;
  const keys = Object.keys(target);
  const key = keys[which % Math.max(1, keys.length)] ?? name;
  if (kind === 'set') target[key] = value;
  if (kind === 'delete') delete target[key];
  if (kind === 'add')
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  const written = JSON.stringify(kind === 'wrap' ? [copy] : copy);
  const at = where % (written.length + 1);
  if (kind === 'cut') return written.slice(0, at);
  if (kind === 'insert') return written.slice(0, at) + text + written.slice(at);
  if (kind === 'repeat') return written + written.slice(at);
  return written;
}

type Expected = { readonly codes: readonly number[]; readonly id?: unknown } | 'answer' | 'nothing' | 'either';

/** The response that JSON-RPC and MCP require for a text, computed without the server's own code. */
function expected(text: string): Expected {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { codes: [-32700] };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { codes: [-32600] };
  const { jsonrpc, id, method, params, result, error } = value as Record<string, unknown>;
  const has = (name: string): boolean => Object.hasOwn(value, name);
  const isId = typeof id === 'string' || Number.isSafeInteger(id);
  if (typeof method === 'string' && !has('id')) return 'nothing';
  const isCall = typeof method === 'string' && !has('result') && !has('error');
  const paramsFit = !has('params') || (typeof params === 'object' && params !== null && !Array.isArray(params));
  if (jsonrpc === '2.0' && isCall && paramsFit && isId) return 'answer';
  // A response without a request is ignored, or refused if it is invalid; never under its id.
  if (!has('method') && (result !== undefined || error !== undefined || has('result') || has('error'))) return 'either';
  return isId ? { codes: [-32600], id } : { codes: [-32600] };
}

async function check(it: Dialog, text: string): Promise<void> {
  const want = expected(text);
  it.send(text);
  const got: Message[] = [];
  if (want === 'answer')
    got.push(await it.next(({ id, method }) => method === undefined && id === (JSON.parse(text) as Message).id));
  else if (typeof want === 'object') got.push(await it.next(({ method }) => method === undefined));
  // A subscription stays open until it is cancelled.
  const alive = await it.request('server/discover', claimed());
  assert.ok(alive.result);
  const more = it.untaken().filter(({ method }) => method === undefined);
  if (want === 'either') {
    for (const message of more) assert.ok(message.id === undefined && message.error?.code === -32600, text);
    return;
  }
  assert.deepEqual(more, [], `nothing else is said to ${text}`);
  if (typeof want !== 'object') return;
  assert.ok(want.codes.includes(got[0]!.error!.code), `${text} is answered with ${JSON.stringify(got[0])}`);
  assert.equal(got[0]!.id, want.id, text);
}

const situations: readonly (readonly [string, Revision | undefined, boolean])[] = [
  ['before anything is agreed on', undefined, false],
  ['in a session', '2025-11-25', false],
  ['in the modern era', undefined, true],
];
for (const [when, revision, modern] of situations) {
  test(`[BASE-1] [BASE-10] [BASE-11] [BASE-12] [BASE-13] [A-30] a message with one change is answered or ignored by the rules, ${when}`, async (t) => {
    const it = dialog(t, makeApp(), { unchecked: true });
    if (revision !== undefined) await it.handshake(revision);
    const message = fc.constantFrom(...VALID);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(message, change, async ({ id, method, params }, how) => {
        const whole = modern ? claimed(params, (params as { _meta?: object })?._meta) : params;
        const valid = {
          jsonrpc: '2.0',
          id: id === undefined ? undefined : `m${++count}`,
          method,
          params: whole,
        };
        await check(it, changed(valid, how));
      }),
      { numRuns: 1_000 },
    );
    assert.deepEqual(
      it.log.filter(({ level }) => level === 'error'),
      [],
    );
  });
}
