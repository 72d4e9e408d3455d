// Days as text, such as 2024-06-15. They sort correctly, and do not depend on time zones.
import { z } from 'zod';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A day in a schema. */
export const day = z.iso.date();

function millisecondsOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** The day `days` later. */
export function addDays(date: string, days: number): string {
  return new Date(millisecondsOf(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The number of nights between two days. */
export function nightsBetween(from: string, to: string): number {
  return (millisecondsOf(to) - millisecondsOf(from)) / DAY_MS;
}

/** All days from the first to the last, both included. */
export function daysFrom(first: string, last: string): string[] {
  const count = nightsBetween(first, last) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => addDays(first, index));
}

/** The month of the demo, which is that of the documentation. */
export const DEMO = { first: '2024-06-01', last: '2024-06-30' } as const;
