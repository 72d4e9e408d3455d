import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Temporal } from '@js-temporal/polyfill';
import { connect } from 'tenon/client';
import { textOf, waysTo } from '../../shared/test/ways.ts';
import { createTime } from './time.ts';

function at(now: string, localTimezone = 'Europe/Berlin') {
  return createTime({ localTimezone, now: () => Temporal.Instant.from(now) });
}

async function call(name: string, args: object, now = '2026-01-15T12:00:00Z'): Promise<any> {
  await using client = await connect(at(now));
  return await client.call(name, args as Record<string, unknown>);
}

test('the current time in any zone has its weekday and whether daylight saving time is in force', async () => {
  for (const [timezone, now, expected] of [
    ['UTC', '2026-01-15T12:00:00Z', ['2026-01-15T12:00:00+00:00', 'Thursday', false]],
    ['America/New_York', '2026-07-15T12:00:00Z', ['2026-07-15T08:00:00-04:00', 'Wednesday', true]],
    ['America/New_York', '2026-01-15T12:00:00Z', ['2026-01-15T07:00:00-05:00', 'Thursday', false]],
    ['Asia/Kathmandu', '2026-01-15T20:00:00Z', ['2026-01-16T01:45:00+05:45', 'Friday', false]],
    ['Australia/Sydney', '2026-01-15T12:00:00Z', ['2026-01-15T23:00:00+11:00', 'Thursday', true]],
    ['Europe/Dublin', '2026-07-15T12:00:00Z', ['2026-07-15T13:00:00+01:00', 'Wednesday', true]],
  ] as const) {
    const found = await call('get_current_time', { timezone }, now);
    assert.deepEqual([found.datetime, found.day_of_week, found.is_dst], expected, timezone);
    assert.equal(found.timezone, timezone);
  }
});

test('a time is converted, with the difference between the clocks', async () => {
  for (const [from, time, to, source, target, difference] of [
    ['America/New_York', '16:30', 'Asia/Tokyo', '2026-01-15T16:30:00-05:00', '2026-01-16T06:30:00+09:00', '+14.0h'],
    ['Europe/London', '12:00', 'Asia/Kathmandu', '2026-01-15T12:00:00+00:00', '2026-01-15T17:45:00+05:45', '+5.75h'],
    ['Asia/Tokyo', '0:05', 'America/St_Johns', '2026-01-15T00:05:00+09:00', '2026-01-14T11:35:00-03:30', '-12.5h'],
    ['UTC', '23:59', 'UTC', '2026-01-15T23:59:00+00:00', '2026-01-15T23:59:00+00:00', '+0.0h'],
  ] as const) {
    const found = await call('convert_time', { source_timezone: from, time, target_timezone: to });
    assert.equal(found.source.datetime, source);
    assert.equal(found.target.datetime, target);
    assert.equal(found.time_difference, difference);
  }
});

test('the default date is today in the source zone, and another date can be given', async () => {
  const args = { source_timezone: 'Asia/Tokyo', time: '09:00', target_timezone: 'UTC' };
  const found = await call('convert_time', args, '2026-01-15T20:00:00Z');
  assert.equal(found.source.datetime, '2026-01-16T09:00:00+09:00');
  const later = await call('convert_time', { ...args, date: '2026-07-01' });
  assert.equal(later.target.datetime, '2026-07-01T00:00:00+00:00');
  await assert.rejects(call('convert_time', { ...args, date: '2026-02-30' }), /There is no day 2026-02-30/);
});

test('a time skipped by the clock does not exist, and one that occurs twice needs `fold`', async () => {
  const args = { source_timezone: 'Europe/Berlin', time: '02:30', target_timezone: 'UTC' };
  await assert.rejects(call('convert_time', { ...args, date: '2026-03-29' }), /There is no 02:30 on 2026-03-29/);
  await assert.rejects(call('convert_time', { ...args, date: '2026-10-25' }), /comes twice/);
  const targets = [];
  for (const fold of ['earlier', 'later'])
    targets.push((await call('convert_time', { ...args, date: '2026-10-25', fold })).target.datetime);
  assert.deepEqual(targets, ['2026-10-25T00:30:00+00:00', '2026-10-25T01:30:00+00:00']);
});

test('unknown zones and invalid times are errors that the model can read', async () => {
  await assert.rejects(call('get_current_time', { timezone: 'Mars/Olympus' }), /There is no time zone 'Mars\/Olympus'/);
  for (const time of ['25:00', '12:60', '12', 'noon', '12:00:00'])
    await assert.rejects(call('convert_time', { source_timezone: 'UTC', time, target_timezone: 'UTC' }), {
      name: 'ToolError',
    });
  assert.throws(() => createTime({ localTimezone: 'Nowhere' }), /no time zone/);
});

test('zones are completed', async () => {
  await using client = await connect(at('2026-01-15T12:00:00Z'));
  const { values } = await client.complete(
    { template: 'time://now/{+timezone}' },
    { argument: 'timezone', value: 'berl' },
  );
  assert.deepEqual(values, ['Europe/Berlin']);
  const { contents } = await client.read('time://now/Europe/Berlin');
  assert.match(String(contents[0]?.text), /2026-01-15T13:00:00\+01:00/);
});

const { ways, stop } = waysTo({ name: 'time', args: ['--local-timezone', 'Europe/Berlin'] });
after(stop);
for (const [way, open] of ways)
  test(`it answers, ${way}`, async () => {
    const client = await open();
    assert.deepEqual(await client.tools(), ['get_current_time', 'convert_time']);
    const before = Date.now();
    const now = JSON.parse(textOf(await client.call('get_current_time', { timezone: 'UTC' }))) as { datetime: string };
    // The server returns whole seconds.
    const told = Date.parse(now.datetime);
    assert.ok(before - 1_000 < told && told <= Date.now(), now.datetime);
    const wrong = await client.call('get_current_time', { timezone: 'Nowhere' });
    assert.equal(wrong.isError, true);
    await client.close();
  });
