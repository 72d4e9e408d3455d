import assert from 'node:assert/strict';
import { it } from 'node:test';
import { METHODS, methodOf as methodIn, REVISIONS } from 'tenon/internal';
import { isOf, methodOf, needOf } from './methods.ts';

function kindOf(name: string): 'request' | 'notification' {
  return name.startsWith('notifications/') ? 'notification' : 'request';
}

it('the revisions and the sender of a method agree with the SDK', () => {
  for (const [name, from] of METHODS) {
    assert.equal(methodOf(kindOf(name), name)?.from, from, name);
    for (const revision of REVISIONS)
      assert.equal(isOf(kindOf(name), name, revision), methodIn(revision, name) !== undefined, `${name}, ${revision}`);
  }
});

it('a notification is not a request, and a request is not a notification', () => {
  assert.equal(methodOf('request', 'notifications/progress'), undefined);
  assert.equal(methodOf('notification', 'ping'), undefined);
});

it('a method that is in no revision may belong to an extension', () => {
  assert.equal(methodOf('request', 'acme/fly'), undefined);
  assert.equal(isOf('request', 'acme/fly', '2025-11-25'), true);
  assert.equal(isOf('request', 'tasks/result', '2026-07-28'), false);
});

it('a request needs a capability of its receiver, and a notification one of its sender', () => {
  assert.equal(needOf('request', 'tools/call', '2025-11-25'), 'tools');
  assert.equal(needOf('request', 'sampling/createMessage', '2025-11-25'), 'sampling');
  assert.equal(needOf('notification', 'notifications/tools/list_changed', '2025-11-25'), 'tools.listChanged');
  assert.equal(needOf('request', 'ping', '2025-11-25'), undefined);
});

it('completions need their capability only in revisions that have it', () => {
  assert.equal(needOf('request', 'completion/complete', '2025-03-26'), 'completions');
  assert.equal(needOf('request', 'completion/complete', '2024-11-05'), undefined);
});
