// The events of a calendar, in a JSON file that several processes may share.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { day } from '../dates.ts';
import { orMissing, replaceFile, withLock } from './files.ts';

/** An event in tool results and in the file. */
export const EventShape = z.object({ id: z.string(), title: z.string(), startDate: day, endDate: day });

/** An event of one or several days, including the last day. */
export type CalendarEvent = z.infer<typeof EventShape>;

/** The initial calendar. The week of the example is free. */
const FIRST_EVENTS: readonly CalendarEvent[] = [
  { id: 'winter-break', title: 'Winter break', startDate: '2024-02-19', endDate: '2024-02-23' },
  { id: 'quarterly-review', title: 'Quarterly review', startDate: '2024-06-10', endDate: '2024-06-11' },
  { id: 'dentist', title: 'Dentist', startDate: '2024-06-13', endDate: '2024-06-13' },
  { id: 'team-offsite', title: 'Team offsite', startDate: '2024-06-25', endDate: '2024-06-26' },
];
const MAX_EVENTS = 10_000;

/** Stores events. */
export interface Calendar {
  /** All events, by their first day. */
  events(): Promise<CalendarEvent[]>;
  /** Adds an event, unless `refuse` throws for the conflicting events. */
  add(event: Omit<CalendarEvent, 'id'>, refuse: (conflicts: readonly CalendarEvent[]) => void): Promise<CalendarEvent>;
}

function parse(path: string, text: string): CalendarEvent[] {
  try {
    return z.array(EventShape).parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${path} is not a calendar, and was not changed. Move it away to start a new one.`, { cause });
  }
}

/** Events that share a day with this one. */
function conflictsWith(
  events: readonly CalendarEvent[],
  { startDate, endDate }: Pick<CalendarEvent, 'startDate' | 'endDate'>,
): CalendarEvent[] {
  return events.filter((event) => event.startDate <= endDate && event.endDate >= startDate);
}

/** The calendar of a folder. Nothing is written before the first event is added. */
export function calendarIn(folder: string): Calendar {
  const path = join(folder, 'calendar.json');
  const load = async (): Promise<CalendarEvent[]> => {
    const text = await orMissing(readFile(path, 'utf8'), undefined);
    return text === undefined ? [...FIRST_EVENTS] : parse(path, text);
  };
  return {
    events: load,
    async add(wanted, refuse) {
      // No other event may be added between the check for conflicts and the write.
      return withLock(`${path}.lock`, async () => {
        const events = await load();
        if (events.length >= MAX_EVENTS) throw new Error(`The calendar is full: it has ${MAX_EVENTS} events`);
        refuse(conflictsWith(events, wanted));
        const event = { id: randomUUID(), ...wanted };
        const next = [...events, event].sort((one, other) => (one.startDate < other.startDate ? -1 : 1));
        await replaceFile(path, `${JSON.stringify(next, undefined, 2)}\n`);
        return event;
      });
    },
  };
}
