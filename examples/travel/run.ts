// Plans a trip with three servers, and prints a transcript: `node examples/travel/run.ts`. Everything in it is real except the model and the
// user, which follow a script. With a folder as argument, bookings and decisions are stored there.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { answer, approve } from './person.ts';
import { planTrip } from './plan.ts';
import { say } from './transcript.ts';

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
const began = performance.now();
const [given] = process.argv.slice(2);
const folder = given ?? (await mkdtemp(join(tmpdir(), 'tenon-travel-')));

write(
  'Three servers, one host: a week in Barcelona. The model and the person follow a script; nothing leaves this machine.\n',
);
try {
  const { trips, events, mails, audit } = await planTrip({ folder, write, approve, ask: answer });
  write('');
  for (const { reference, from, to } of trips) say(write, 'booked', `${reference}, ${from} to ${to}`);
  for (const { title, startDate, endDate } of events.filter((event) => event.title.startsWith('Trip')))
    say(write, 'calendar', `${title}, ${startDate} to ${endDate}`);
  for (const { subject } of mails) say(write, 'outbox', subject);
  say(write, 'audit', audit.ok ? `${audit.entries} entries, verified` : `line ${audit.line}: ${audit.problem}`);
  write(`\nDone in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
  if (!audit.ok || trips.length === 0 || mails.length === 0) process.exitCode = 1;
} finally {
  if (given === undefined) await rm(folder, { recursive: true, force: true });
}
