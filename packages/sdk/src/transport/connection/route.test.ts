import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import { metaOf } from '../../protocol/meta.ts';
import { byEra, LEGACY, MODERN, REVISIONS } from '../../protocol/revision.ts';
import { routeOf } from './route.ts';
import type { Peer } from '../serving/server-call.ts';
import { Session } from '../serving/session.ts';

function claim(version: unknown, capabilities: unknown = {}): JsonObject {
  return {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    },
  };
}
const session: Session = new Session(
  { revision: '2025-06-18', capabilities: { roots: {} }, client: undefined, lists: new Set() },
  { principal: undefined, quotaKey: undefined },
  () => 1,
  DEFAULT_LIMITS,
  { send() {} },
);

const EVERY = byEra(REVISIONS);
/** The connection, as the session of modern requests. */
const CONNECTION = { context: {}, call: { notify() {} } };
const ANN: Peer = { principal: { id: 'ann' }, quotaKey: undefined };
function route(method: string, params?: JsonObject, agreed?: Session, spoken = EVERY): string {
  try {
    const found = routeOf({ method, meta: metaOf(params) }, agreed, spoken, ANN, CONNECTION);
    return 'caller' in found ? `${found.kind} ${found.caller.revision}` : found.kind;
  } catch (error) {
    return String((error as { code: number }).code);
  }
}

test('[VERS-34, VERS-36] a claim makes a request modern, whatever the connection agreed to', () => {
  for (const agreed of [undefined, session]) {
    for (const method of ['tools/list', 'ping', 'initialize', 'nonsense'])
      assert.equal(route(method, claim('2026-07-28'), agreed), 'modern 2026-07-28');
    assert.equal(route('tools/list', claim('2030-01-01'), agreed), '-32022');
    assert.equal(route('tools/list', claim('2025-11-25'), agreed), '-32022');
    assert.equal(route('tools/list', claim(5), agreed), '-32602');
    assert.equal(route('tools/list', claim('2026-07-28', 'none'), agreed), '-32602');
  }
});

test('without a claim: the session, the handshake, a ping, or the supported ways', () => {
  assert.equal(route('initialize'), 'initialize');
  assert.equal(route('ping'), 'ping');
  assert.equal(route('tools/list'), '-32602');
  assert.equal(route('tools/list', { _meta: {} }), '-32602');
  assert.equal(route('tools/list', undefined, session), 'legacy 2025-06-18');
  assert.equal(route('nonsense', undefined, session), 'legacy 2025-06-18');
});

test('a method that needs a claim says so also on a connection with a session', () => {
  for (const method of ['server/discover', 'subscriptions/listen']) {
    for (const agreed of [undefined, session])
      assert.throws(() => routeOf({ method, meta: {} }, agreed, EVERY, ANN, CONNECTION), /"_meta"/);
  }
});

test('a server of only one era ignores the other', () => {
  const legacy = byEra(LEGACY);
  assert.equal(route('tools/list', claim('2026-07-28'), undefined, legacy), '-32602');
  assert.equal(route('tools/list', claim('2026-07-28'), session, legacy), 'legacy 2025-06-18');
  assert.equal(route('server/discover', claim('2026-07-28'), session, legacy), 'legacy 2025-06-18');
  const modern = byEra(MODERN);
  assert.equal(route('ping', undefined, undefined, modern), '-32602');
  assert.throws(
    () => routeOf({ method: 'tools/list', meta: {} }, undefined, modern, ANN, CONNECTION),
    (error: Error) => !error.message.includes('initialize'),
  );
});
