import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFor, nameProblem } from './names.ts';

test('the name of a project comes from its folder, as npm and hosts accept it', () => {
  for (const [folder, name] of [
    ['/home/ann/weather', 'weather'],
    ['/home/ann/My Weather (2)', 'my-weather-2'],
    ['/home/ann/wéather_x', 'w-ather-x'],
    ['/', 'my-server'],
    ['/home/ann/___', 'my-server'],
    ['/home/ann/tenon', 'tenon-server'],
    ['/home/ann/node_modules', 'node-modules-server'],
    [`/home/ann/${'a'.repeat(99)}-b`, 'a'.repeat(99)],
  ] as const) {
    assert.equal(nameFor(folder), name);
    assert.equal(nameProblem(name), undefined, name);
  }
});

test('a name that npm does not accept has a reason', () => {
  for (const name of ['', 'A', 'a b', '-a', 'a-', '.a', 'a/b', 'a"b', 'ä', '@a/b', 'a'.repeat(101), 'tenon', 'zod'])
    assert.match(nameProblem(name)!, /[a-z]/, name);
});
