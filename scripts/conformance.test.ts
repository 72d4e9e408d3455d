import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Check, judge } from './conformance/judge.ts';

function check(status: Check['status'], name = 'a'): Check {
  return { id: name, name, status };
}
const good = [check('SUCCESS'), check('INFO')];
function verdict(outcome: object | undefined, excused = new Map<string, string>()) {
  return judge(['s'], outcome === undefined ? [] : [{ scenario: 's', checks: good, ...outcome }], excused);
}

test('a scenario whose checks passed has passed', () => {
  assert.deepEqual(verdict({}), { passed: 1, failures: [] });
});

test('a scenario that was not run, crashed, had no successful check, warned, skipped or failed, or whose client did not exit with 0, has failed', () => {
  for (const [outcome, reason] of [
    [undefined, /was not run/],
    [{ checks: undefined }, /crashed/],
    [{ checks: [] }, /no check was successful/],
    [{ checks: [check('INFO')] }, /no check was successful/],
    [{ checks: [...good, check('WARNING')] }, /WARNING a/],
    [{ checks: [...good, check('SKIPPED')] }, /SKIPPED a/],
    [{ checks: [...good, check('FAILURE')] }, /FAILURE a/],
    [{ exitCode: 1 }, /exited with 1/],
  ] as const) {
    const { passed, failures } = verdict(outcome);
    assert.equal(passed, 0);
    assert.match(failures.join(), reason);
  }
});

test('checks are excused by name and scenario', () => {
  const outcome = { checks: [...good, check('SKIPPED', 'never')] };
  assert.equal(verdict(outcome, new Map([['s:never', 'it cannot be']])).passed, 1);
  assert.equal(verdict(outcome, new Map([['other:never', 'it cannot be']])).passed, 0);
});

test('a scenario that the suite skips passes if each of its checks is excused', () => {
  const excused = new Map([['s:never', 'the suite always skips it']]);
  const skipped = check('SKIPPED', 'never');
  assert.equal(verdict({ checks: [skipped] }, excused).passed, 1);
  assert.equal(verdict({ checks: [] }, excused).passed, 0);
  assert.equal(verdict({ checks: [check('INFO', 'never')] }, excused).passed, 0);
  assert.equal(verdict({ checks: [skipped, check('SKIPPED', 'other')] }, excused).passed, 0);
});
