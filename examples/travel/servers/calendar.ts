// The calendar and email server of the documentation's example: manages schedules and communications, over stdio.
//   node examples/travel/servers/calendar.ts
//   npx tenon run examples/travel/servers/calendar.ts
// CALENDAR_DATA names the folder for events and messages; without it, every process uses a new one.
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { resource, server, tool, ToolError } from 'tenon';
import { serveStdio } from 'tenon/node';
import { z } from 'zod';
import { type CalendarEvent, calendarIn, EventShape } from './calendar/events.ts';
import { Message, outboxIn } from './calendar/mail.ts';
import { monthNamed, monthOf } from './calendar/months.ts';
import { day, daysFrom, nightsBetween } from './dates.ts';

const JSON_TYPE = 'application/json';
const MAX_DAYS = 366;

function yearUri(year: string): string {
  return `calendar://events/${year}`;
}
function monthUri(month: string): string {
  return `calendar://my-calendar/${month}`;
}

/** The distinct years or months of all days of events. */
function partsOf(events: readonly CalendarEvent[], nameOf: (date: string) => string): string[] {
  return [...new Set(events.flatMap(({ startDate, endDate }) => daysFrom(startDate, endDate)).map(nameOf))];
}
function yearNamed(date: string): string {
  return date.slice(0, 4);
}

/** Events with a day in a year or month, such as 2024 or 2024-06. */
function within(events: readonly CalendarEvent[], period: string): CalendarEvent[] {
  return events.filter(({ startDate, endDate }) => startDate.slice(0, period.length) <= period && endDate >= period);
}

function refuseConflicts(conflicts: readonly CalendarEvent[]): void {
  if (conflicts.length === 0) return;
  const listed = conflicts.map(({ title, startDate, endDate }) => `${title} (${startDate} to ${endDate})`).join(', ');
  throw new ToolError(
    `Nothing was added, because there is something on these days: ${listed}. ` +
      'Choose other days, or call again with allowConflicts: true if the user wants both.',
  );
}

/** Makes the server with a data folder. */
export function calendarServer(folder: string) {
  const calendar = calendarIn(folder);
  const outbox = outboxIn(folder);

  const app = server({
    name: 'calendar',
    version: '1.0.0',
    title: 'Calendar and email',
    description: 'Manages schedules and communications.',
    instructions: 'Read the calendar before you suggest dates. Messages wait in an outbox on this machine.',

    tools: {
      createCalendarEvent: tool(
        {
          title: 'Create a calendar event',
          description: "Block days in the user's calendar. Days that are already taken are rejected.",
          input: z.object({
            title: z.string().min(1).max(200),
            startDate: day.describe('First day'),
            endDate: day.describe('Last day'),
            allowConflicts: z.boolean().default(false).describe('Only if the user wants two events on one day'),
          }),
          output: EventShape,
          readOnly: false,
          destructive: false,
          idempotent: false,
          openWorld: false,
        },
        async ({ allowConflicts, ...wanted }) => {
          const { startDate, endDate } = wanted;
          if (endDate < startDate) throw new ToolError(`endDate ${endDate} is before startDate ${startDate}.`);
          if (nightsBetween(startDate, endDate) >= MAX_DAYS)
            throw new ToolError(`An event has at most ${MAX_DAYS} days.`);
          const event = await calendar.add(wanted, allowConflicts ? () => {} : refuseConflicts);
          for (const year of partsOf([event], yearNamed)) app.changed(yearUri(year));
          for (const month of partsOf([event], monthNamed)) app.changed(monthUri(month));
          return event;
        },
      ),

      sendEmail: tool(
        {
          title: 'Send an email',
          description: 'Send a plain text message to one recipient',
          input: Message,
          output: z.object({ id: z.string(), uri: z.string().describe('Where the message can be read') }),
          readOnly: false,
          destructive: false,
          idempotent: false,
          // The outbox is a local folder. A server that really sends email would set true.
          openWorld: false,
        },
        async (message) => {
          const { id } = await outbox.send(message);
          app.changed('mail://outbox');
          return { id, uri: `mail://outbox/${id}` };
        },
      ),
    },

    resources: {
      'calendar://events/{year}': resource(
        {
          name: 'calendar-events',
          title: 'Events of a year',
          mimeType: JSON_TYPE,
          list: async () =>
            partsOf(await calendar.events(), yearNamed).map((year) => ({
              uri: yearUri(year),
              name: `events-${year}`,
              title: `Events of ${year}`,
              mimeType: JSON_TYPE,
            })),
          complete: {
            year: async (typed) => partsOf(await calendar.events(), yearNamed).filter((year) => year.startsWith(typed)),
          },
        },
        async ({ year }) =>
          /^\d{4}$/.test(year) ? { year, events: within(await calendar.events(), year) } : undefined,
      ),

      'calendar://my-calendar/{month}': resource(
        {
          name: 'my-calendar',
          title: 'Calendar of a month',
          description: 'Events of a month, such as June-2024',
          mimeType: JSON_TYPE,
          list: async () =>
            partsOf(await calendar.events(), monthNamed).map((month) => ({
              uri: monthUri(month),
              name: month,
              title: `My calendar: ${month.replace('-', ' ')}`,
              mimeType: JSON_TYPE,
            })),
          complete: {
            month: async (typed) =>
              partsOf(await calendar.events(), monthNamed).filter((month) =>
                month.toLowerCase().startsWith(typed.toLowerCase()),
              ),
          },
        },
        async ({ month }) => {
          const period = monthOf(month);
          return period === undefined ? undefined : { month, events: within(await calendar.events(), period) };
        },
      ),

      'mail://outbox': resource(
        { name: 'outbox', title: 'Outbox', description: 'Messages that were sent', mimeType: JSON_TYPE },
        async () => ({ messages: await outbox.list() }),
      ),
      'mail://outbox/{id}': resource({ name: 'message', title: 'A message', mimeType: 'message/rfc822' }, ({ id }) =>
        outbox.read(id),
      ),
    },
  });
  return app;
}

// Do not create the folder before something is stored.
const app = calendarServer(process.env['CALENDAR_DATA'] ?? join(tmpdir(), `travel-calendar-${randomUUID()}`));
export default app;
if (process.argv[1] === import.meta.filename) await serveStdio(app);
