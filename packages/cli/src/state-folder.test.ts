import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateFolder } from './state-folder.ts';

test('the folder is by the custom of the system, and a relative one of the environment does not count', () => {
  assert.equal(stateFolder({ XDG_STATE_HOME: '/state' }), '/state/tenon');
  assert.notEqual(stateFolder({ XDG_STATE_HOME: 'relative' }), 'relative/tenon');
});
