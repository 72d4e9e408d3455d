import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateFolder } from './state-folder.ts';

test('the state folder follows the operating system, and a relative XDG path is ignored', () => {
  assert.equal(stateFolder({ XDG_STATE_HOME: '/state' }), '/state/tenon');
  assert.notEqual(stateFolder({ XDG_STATE_HOME: 'relative' }), 'relative/tenon');
});
