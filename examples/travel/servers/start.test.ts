// The three servers as hosts start them: two over stdio, with node and with tenon, and one over HTTP.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { connect } from 'tenon/client';
import type calendar from './calendar.ts';
import type travel from './travel.ts';
import type weather from './weather.ts';

const here = import.meta.dirname;
const tenon = join(here, '../../../packages/cli/bin/tenon.js');

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'travel-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('the travel server over stdio keeps its trips across processes', async (t) => {
  const env = { TRAVEL_DATA: await newFolder(t) };
  const byNode = { command: process.execPath, args: [join(here, 'travel.ts')], env };
  const stay = { hotel: 'paris-casa-verde', checkIn: '2024-06-01', checkOut: '2024-06-03' };
  {
    await using client = await connect<typeof travel>(byNode, { answers: { confirmHotel: { confirmBooking: true } } });
    assert.equal((await client.call('bookHotel', stay)).reference, 'TRIP-1001');
  }
  const byTenon = { command: process.execPath, args: [tenon, 'run', join(here, 'travel.ts')], env };
  await using client = await connect<typeof travel>(byTenon);
  const { trips } = await client.call('listTrips');
  assert.deepEqual(
    trips.map(({ reference, from }) => [reference, from]),
    [['TRIP-1001', '2024-06-01']],
  );
  const listed = (await client.resources().all()).map(({ uri }) => uri);
  assert.ok(listed.includes('travel://itineraries/TRIP-1001'));

  // Bookings of another process can be read, too.
  await using third = await connect<typeof travel>(byNode, { answers: { confirmHotel: { confirmBooking: true } } });
  const later = { ...stay, checkIn: '2024-06-03', checkOut: '2024-06-05' };
  const { itinerary } = await third.call('bookHotel', later);
  assert.match((await client.read(itinerary!)).contents[0]!.text!, /"reference":"TRIP-1002"/);
});

test('the calendar server over stdio, by node and by tenon, on one folder', async (t) => {
  const env = { CALENDAR_DATA: await newFolder(t) };
  const file = join(here, 'calendar.ts');
  await using one = await connect<typeof calendar>({ command: process.execPath, args: [file], env });
  await using other = await connect<typeof calendar>({ command: process.execPath, args: [tenon, 'run', file], env });
  await one.call('createCalendarEvent', { title: 'Trip', startDate: '2024-06-15', endDate: '2024-06-22' });
  const { contents } = await other.read('calendar://events/2024');
  assert.match(contents[0]!.text!, /"title":"Trip"/);
});

test('the weather server over HTTP prints its URL, and supports both eras', async () => {
  const child = spawn(process.execPath, [join(here, 'weather.ts')], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    let url = '';
    for await (const line of createInterface({ input: child.stderr })) {
      url = /listens at (\S+)/.exec(line)?.[1] ?? '';
      if (url !== '') break;
    }
    for (const revision of ['2026-07-28', '2025-11-25'] as const) {
      await using client = await connect<typeof weather>(url, { revision });
      const { days } = await client.call('checkWeather', {
        city: 'Paris',
        startDate: '2024-06-15',
        endDate: '2024-06-15',
      });
      assert.equal(days.length, 1);
    }
  } finally {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  }
});
