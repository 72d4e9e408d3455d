// The calendar and email server in every revision, each with its own folder.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { connect, revisions, ToolError } from 'tenon/client';
import { calendarServer } from './calendar.ts';

const TRIP = { title: 'Barcelona Trip', startDate: '2024-06-15', endDate: '2024-06-22' };
const MAIL = { to: 'team@work.com', subject: 'Out of Office', body: 'I am in Barcelona.\nSee you on Monday.' };

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'calendar-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function failing(pattern: RegExp) {
  return (error: unknown): boolean => error instanceof ToolError && pattern.test(error.message);
}

for (const revision of revisions) {
  describe(`calendar on ${revision}`, () => {
    test('an event blocks its days, and watchers are notified', async (t) => {
      const folder = await newFolder(t);
      await using client = await connect(calendarServer(folder), { revision });
      const titles = async (uri: string): Promise<string[]> =>
        JSON.parse((await client.read(uri)).contents[0]!.text!).events.map(({ title }: { title: string }) => title);
      const june = 'calendar://my-calendar/June-2024';
      assert.deepEqual(await titles(june), ['Quarterly review', 'Dentist', 'Team offsite']);

      const watch = client.watch({ uri: june });
      await watch.ready;
      const event = await client.call('createCalendarEvent', TRIP);
      assert.equal(event.title, 'Barcelona Trip');
      for await (const change of watch) {
        assert.deepEqual(change, { uri: june, missed: false });
        break;
      }
      assert.deepEqual(await titles(june), ['Quarterly review', 'Dentist', 'Barcelona Trip', 'Team offsite']);
      assert.equal((await titles('calendar://events/2024')).length, 5);
      assert.deepEqual(await titles('calendar://events/2031'), []);
      for (const uri of ['calendar://events/soon', 'calendar://my-calendar/Juno-2024'])
        await assert.rejects(client.read(uri), /Resource not found/);

      const listed = (await client.resources().all()).map(({ uri }) => uri);
      for (const uri of ['calendar://events/2024', june, 'mail://outbox']) assert.ok(listed.includes(uri), uri);
      const template = { template: 'calendar://my-calendar/{month}' } as const;
      assert.deepEqual((await client.complete(template, { argument: 'month', value: 'j' })).values, ['June-2024']);
    });

    test('taken days are rejected, unless conflicts are allowed', async (t) => {
      await using client = await connect(calendarServer(await newFolder(t)), { revision });
      const clash = { title: 'Clash', startDate: '2024-06-22', endDate: '2024-06-25' };
      await assert.rejects(
        client.call('createCalendarEvent', clash),
        failing(/^Nothing was added.*Team offsite \(2024-06-25 to 2024-06-26\).*allowConflicts/),
      );
      const both = await client.call('createCalendarEvent', { ...clash, allowConflicts: true });
      assert.equal(both.startDate, '2024-06-22');
      const backwards = { ...TRIP, endDate: '2024-06-01' };
      await assert.rejects(client.call('createCalendarEvent', backwards), failing(/is before/));
      const endless = { ...TRIP, endDate: '9999-12-31' };
      await assert.rejects(client.call('createCalendarEvent', endless), failing(/at most 366 days/));
    });

    test('a message waits in the outbox', async (t) => {
      const folder = await newFolder(t);
      await using client = await connect(calendarServer(folder), { revision });
      const { id, uri } = await client.call('sendEmail', MAIL);
      const outbox = JSON.parse((await client.read('mail://outbox')).contents[0]!.text!);
      assert.deepEqual(outbox, { messages: [{ id, to: MAIL.to, subject: MAIL.subject }] });
      const [message] = (await client.read(uri)).contents;
      assert.equal(message?.mimeType, 'message/rfc822');
      assert.match(message!.text!, /\r\nTo: team@work\.com\r\nSubject: Out of Office\r\n/);
      assert.match(message!.text!, /\r\n\r\nI am in Barcelona\.\r\nSee you on Monday\.\r\n$/);
      assert.deepEqual(await readdir(join(folder, 'outbox')), [`${id}.eml`]);
      await assert.rejects(client.read('mail://outbox/..%2Fcalendar'), /Resource not found/);
    });

    test('a line break in a header is rejected, and nothing is written', async (t) => {
      const folder = await newFolder(t);
      await using client = await connect(calendarServer(folder), { revision });
      for (const wrong of [
        { subject: 'Hello\r\nBcc: all@work.com' },
        { subject: 'Hello\nBcc: all@work.com' },
        { subject: 'Hello\rBcc: all@work.com' },
        { subject: 'Hello\u2028Bcc: all@work.com' },
        { subject: 'Hello\0' },
        { to: 'team@work.com\r\nBcc: all@work.com' },
        { to: 'team@work.com\n' },
        { to: 'team@work.com, all@work.com' },
      ])
        await assert.rejects(
          client.call('sendEmail', { ...MAIL, ...wrong }),
          failing(/^Invalid arguments: (subject|to):/),
        );
      assert.deepEqual(await readdir(folder), []);
      // Header-like text in the body stays in the body.
      const { uri } = await client.call('sendEmail', { ...MAIL, body: 'Bcc: all@work.com\n\nSubject: Other' });
      const [header] = (await client.read(uri)).contents[0]!.text!.split('\r\n\r\n');
      assert.doesNotMatch(header!, /Bcc|Other/);
    });
  });
}

test('concurrently added events are all stored', async (t) => {
  const folder = await newFolder(t);
  // Two servers with one folder, as if started by two hosts.
  await using one = await connect(calendarServer(folder));
  await using other = await connect(calendarServer(folder));
  const dates = ['2024-07-01', '2024-07-02', '2024-07-03', '2024-07-04'];
  await Promise.all(
    dates.map((date, index) =>
      [one, other][index % 2]!.call('createCalendarEvent', { title: date, startDate: date, endDate: date }),
    ),
  );
  const kept = JSON.parse(await readFile(join(folder, 'calendar.json'), 'utf8')) as { title: string }[];
  assert.deepEqual(
    kept.map(({ title }) => title).filter((title) => title.startsWith('2024')),
    dates,
  );
  // Only one of the concurrent events on the same day is accepted.
  const same = { title: 'Same day', startDate: '2024-08-01', endDate: '2024-08-01' };
  const results = await Promise.allSettled([
    one.call('createCalendarEvent', same),
    other.call('createCalendarEvent', same),
  ]);
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name !== 'calendar.json'),
    [],
  );
});

test('a file that is not a calendar is not changed', async (t) => {
  const folder = await newFolder(t);
  await writeFile(join(folder, 'calendar.json'), '{"mine":true}');
  const log: string[] = [];
  await using client = await connect(calendarServer(folder), { log: ({ details }) => log.push(String(details)) });
  await assert.rejects(client.call('createCalendarEvent', TRIP), failing(/The tool failed/));
  assert.match(log.join('\n'), /is not a calendar, and was not changed/);
  assert.equal(await readFile(join(folder, 'calendar.json'), 'utf8'), '{"mine":true}');
});
