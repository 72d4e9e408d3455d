// The events of a calendar, in one file of JSON that several processes may share.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { day } from '../dates.ts';
import { orMissing, replaceFile, withLock } from './files.ts';

/** An event, as tools give it and the file keeps it. */
export const EventShape = z.object({ id: z.string(), title: z.string(), startDate: day, endDate: day });

/** Something on one day or several; the last day is part of it. */
export type CalendarEvent = z.infer<typeof EventShape>;

/** A calendar that nobody has written to yet. The week of the example is free. */
const FIRST_EVENTS: readonly CalendarEvent[] = [
  { id: 'winter-break', title: 'Winter break', startDate: '2024-02-19', endDate: '2024-02-23' },
  { id: 'quarterly-review', title: 'Quarterly review', startDate: '2024-06-10', endDate: '2024-06-11' },
  { id: 'dentist', title: 'Dentist', startDate: '2024-06-13', endDate: '2024-06-13' },
  { id: 'team-offsite', title: 'Team offsite', startDate: '2024-06-25', endDate: '2024-06-26' },
];
const MOST_EVENTS = 10_000;

/** Where events are kept. */
export interface Calendar {
  /** All events, by their first day. */
  events(): Promise<CalendarEvent[]>;
  /** Adds an event, unless `refuse` throws over what is on its days. */
  add(event: Omit<CalendarEvent, 'id'>, refuse: (conflicts: readonly CalendarEvent[]) => void): Promise<CalendarEvent>;
}

const parse = (path: string, text: string): CalendarEvent[] => {
  try {
    return z.array(EventShape).parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${path} is no calendar, and is left as it is. Move it away to begin a new one.`, { cause });
  }
};

/** Events that have a day in common with this one. */
const conflictsWith = (
  events: readonly CalendarEvent[],
  { startDate, endDate }: Pick<CalendarEvent, 'startDate' | 'endDate'>,
): CalendarEvent[] => events.filter((event) => event.startDate <= endDate && event.endDate >= startDate);

/** The calendar of a folder. Nothing is written before the first event is added. */
export const calendarIn = (folder: string): Calendar => {
  const path = join(folder, 'calendar.json');
  const load = async (): Promise<CalendarEvent[]> => {
    const text = await orMissing(readFile(path, 'utf8'), undefined);
    return text === undefined ? [...FIRST_EVENTS] : parse(path, text);
  };
  return {
    events: load,
    async add(wanted, refuse) {
      // Nobody may add another event between looking for conflicts and writing.
      return withLock(`${path}.lock`, async () => {
        const events = await load();
        if (events.length >= MOST_EVENTS) throw new Error(`The calendar is full: it has ${MOST_EVENTS} events`);
        refuse(conflictsWith(events, wanted));
        const event = { id: randomUUID(), ...wanted };
        const next = [...events, event].sort((one, other) => (one.startDate < other.startDate ? -1 : 1));
        await replaceFile(path, `${JSON.stringify(next, undefined, 2)}\n`);
        return event;
      });
    },
  };
};
