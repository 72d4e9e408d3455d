import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinCpuMs } from '../../../../../scripts/lib/cpu-time.ts';
import { best, scoreOf } from './rank.ts';

function rank(entries: readonly string[], typed: string, most = 10): string[] {
  return best(entries, (text) => text, typed, most);
}

test('a prefix ranks above the beginning of a word, that above a substring, and that above letters in order', () => {
  assert.deepEqual(rank(['toad', 'a-d-d', 'get add', 'address', 'add', 'sub'], 'add'), [
    'add',
    'address',
    'get add',
    'a-d-d',
  ]);
  assert.deepEqual(rank(['xweatherx', 'get_weather', 'weather'], 'weather'), ['weather', 'get_weather', 'xweatherx']);
});

test('every word must match, in any order', () => {
  assert.deepEqual(rank(['weather get_forecast', 'weather alerts', 'news get_forecast'], 'forecast wea'), [
    'weather get_forecast',
  ]);
});

test('beginnings of words match as an abbreviation, scattered letters do not', () => {
  assert.deepEqual(rank(['get_weather_alerts', 'gxwxa'], 'gwa'), ['get_weather_alerts']);
  assert.deepEqual(rank(['recursion shapes tool', 'echo'], 'echo'), ['echo']);
});

test('an empty query keeps the order, and the limit holds', () => {
  assert.deepEqual(rank(['bbb', 'a', 'cc'], '', 2), ['bbb', 'a']);
  assert.equal(scoreOf('abc', 'zb'), 0);
});

test('two thousand entries are ranked fast enough for typing', () => {
  const many = Array.from({ length: 2_000 }, (_, n) => `server tool_number_${n} does something or other`);
  withinCpuMs(500, () => {
    for (const typed of ['t', 'to', 'tool', 'number 19', 'other']) rank(many, typed, 50);
  });
});
