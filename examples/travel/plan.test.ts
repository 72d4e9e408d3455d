import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { revisions } from 'tenon/client';
import { answer, approve } from './person.ts';
import { type Outcome, planTrip, type PlanOptions } from './plan.ts';

async function plan(more: Partial<PlanOptions> = {}): Promise<Outcome & { lines: string[]; folder: string }> {
  const lines: string[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'plan-'));
  const outcome = await planTrip({ folder, write: (line) => lines.push(line), approve, ask: answer, ...more });
  return { ...outcome, lines, folder: more.folder ?? folder };
}

/** These revisions have no elicitation, and nothing is booked without one. */
const SILENT = ['2024-11-05', '2025-03-26'];

function newEvents({ events }: Outcome): Outcome['events'] {
  return events.filter(({ title }) => title.startsWith('Trip'));
}

for (const revision of revisions) {
  test(`the complete flow runs across three servers on ${revision}`, async () => {
    const outcome = await plan({ revision });
    const { run, lines, completed, trips, mails, audit } = outcome;
    assert.deepEqual(outcome.revisions, [revision, revision, revision]);
    assert.deepEqual(completed, ['Paris', 'Park City']);
    assert.equal(run.end, 'done');
    assert.equal(audit.ok, true);
    const called = run.calls.map(({ tool, isError }) => `${tool}${isError ? ' failed' : ''}`);
    const searches = [
      'travel__findBestFlight',
      'travel__searchFlights',
      'travel__searchHotels',
      'weather__checkWeather',
    ];
    if (SILENT.includes(revision)) {
      assert.deepEqual(called, [...searches, 'travel__bookVacation failed']);
      assert.deepEqual([trips, newEvents(outcome), mails], [[], [], []]);
      assert.match(run.text, /Nothing is booked/);
      return;
    }
    assert.deepEqual(called, [
      ...searches,
      'travel__bookVacation',
      'calendar__createCalendarEvent',
      'travel__saveItinerary',
      'calendar__sendEmail',
    ]);
    assert.deepEqual(
      trips.map(({ from, to }) => [from, to]),
      [['2024-06-15', '2024-06-22']],
    );
    assert.equal(newEvents(outcome).length, 1);
    const saved = join(outcome.folder, 'workspace', 'travel-planning');
    assert.deepEqual(await readdir(saved), ['2024-06-15 Barcelona TRIP-1001.md']);
    assert.match(await readFile(join(saved, '2024-06-15 Barcelona TRIP-1001.md'), 'utf8'), /TRIP-1001\. Passports/);
    assert.deepEqual(
      mails.map(({ subject }) => subject),
      ['We fly to Barcelona'],
    );
    // The steps in the order of the documentation.
    const steps = [
      /you .*plan-vacation destination=Barcelona/,
      /you .*@calendar:\/\/my-calendar\/June-2024/,
      /you .*@file:\/\/\/.*\/client-documents\/passport\.md/,
      /model .*→ travel__findBestFlight/,
      /host .*May travel ask the model/,
      /sample model: yes, allowed by the person/,
      /May Book a vacation of travel be called/,
      /travel asks: Please confirm your Barcelona vacation booking details/,
      /question confirmVacation: yes, accept by the person/,
      /→ calendar__sendEmail/,
      /Have a good trip/,
    ];
    let at = -1;
    for (const step of steps) {
      at = lines.findIndex((line, index) => index > at && step.test(line));
      assert.notEqual(at, -1, `${step} is not there, or too early:\n${lines.join('\n')}`);
    }
  });
}

test('if the user declines the booking, nothing is booked and no email is sent', async () => {
  const outcome = await plan({ ask: () => ({ allow: false }) });
  assert.deepEqual([outcome.trips, newEvents(outcome), outcome.mails], [[], [], []]);
  assert.match(outcome.run.text, /Nothing is booked/);
});

test('if the user declines sampling, the flights are listed without advice', async () => {
  const outcome = await plan({ approve: (item) => (item.kind === 'sample' ? { allow: false } : approve(item)) });
  assert.equal(outcome.run.calls.find(({ tool }) => tool === 'travel__findBestFlight')?.isError, true);
  assert.deepEqual(outcome.trips, []);
});

test('no server sees the conversation, or the data of another server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plan-'));
  const { audit } = await plan({ folder });
  assert.equal(audit.ok, true);
  const log = await readFile(join(folder, 'host', 'audit.jsonl'), 'utf8');
  const entries = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { server: string; act: string });
  assert.deepEqual([...new Set(entries.filter(({ act }) => act === 'start').map(({ server }) => server))].sort(), [
    'calendar',
    'travel',
    'weather',
  ]);
  // Servers get only their own calls: the log contains the arguments of the model only as digests.
  assert.doesNotMatch(log, /family@example.com/);
});
