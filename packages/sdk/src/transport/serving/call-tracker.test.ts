import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallTracker } from './call-tracker.ts';
import { type Caller, type ResponseWriter, ServerCall } from './server-call.ts';

const writer: ResponseWriter = { send() {}, wait() {}, finish() {}, drop() {} };
const caller: Caller = {
  revision: '2026-07-28',
  capabilities: {},
  client: undefined,
  principal: undefined,
  quotaKey: undefined,
  logLevel: undefined,
};

function callWith(id: number): ServerCall {
  return new ServerCall({ id, method: 'tools/call', params: {}, meta: {} }, caller, writer);
}

test('all promises for the end of the last call resolve', async () => {
  const all = new CallTracker(10, { ofOnePeer: false });
  const ofPeer = new CallTracker(10, { ofOnePeer: true, all });
  const calls = [callWith(1), callWith(2)];
  for (const call of calls) ofPeer.begin(call);
  const waiting = [all.whenIdle(), all.whenIdle(), ofPeer.whenIdle()];
  let idle = 0;
  for (const wait of waiting) void wait.then(() => idle++);
  ofPeer.end(calls[0]!, false);
  await Promise.resolve();
  assert.equal(idle, 0);
  ofPeer.end(calls[1]!, false);
  await Promise.all(waiting);
  assert.equal(idle, 3);
  assert.equal(all.count, 0);
});
