import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childEnvironment } from './environment.ts';

const source = { PATH: '/bin', HOME: '/home/me', SECRET: 's', USER: '() { :; }', WANTED: 'w' };

test('a child gets the allow-list, the named variables and its own ones', () => {
  assert.deepEqual(childEnvironment({ OWN: 'o', HOME: '/tmp' }, ['WANTED', 'UNSET'], source, false), {
    PATH: '/bin',
    HOME: '/tmp',
    WANTED: 'w',
    OWN: 'o',
  });
});

test('functions exported by bash are not passed on, unless the caller sets them', () => {
  assert.equal(childEnvironment({}, [], source, false)['USER'], undefined);
  assert.equal(childEnvironment({ USER: '() { :; }' }, [], source, false)['USER'], '() { :; }');
});

test('on Windows names are case-insensitive', () => {
  const windows = { PATH: 'C:\\Windows', SYSTEMROOT: 'C:\\Windows', HOME: 'no' };
  assert.deepEqual(childEnvironment({ Path: 'D:\\' }, [], windows, true), { Path: 'D:\\', SYSTEMROOT: 'C:\\Windows' });
});

test('names of the prototype are ordinary names', () => {
  const env = childEnvironment(
    JSON.parse('{"__proto__":"p","constructor":"c"}') as Record<string, string>,
    ['toString'],
    {},
    false,
  );
  assert.deepEqual(Object.entries(env), [
    ['__proto__', 'p'],
    ['constructor', 'c'],
  ]);
});
