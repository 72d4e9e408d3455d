// The data of the travel agency: flights and hotels, which are generated, and trips, which are in an SQLite database.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hotels, type Hotel } from './hotels.ts';
import { departuresFrom, type Flight, flightsBetween, flightWithId } from './timetable.ts';

/** A booking order. Everything except the days and the key is stored as JSON. */
export interface Order {
  /** The same for every attempt of one call, so that a second attempt finds the booking of the first. */
  readonly key: string;
  /** First and last day of the trip. */
  readonly from: string;
  readonly to: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A booked trip. */
export interface Trip {
  readonly reference: string;
  readonly from: string;
  readonly to: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The days are taken by another trip. */
export class OverlapError extends Error {
  override readonly name = 'OverlapError';
  constructor({ reference, from, to }: Trip) {
    super(`Trip ${reference} is booked from ${from} to ${to}, and nobody is at two places at once. Choose other days.`);
  }
}

/** The queries of the server. */
export interface TravelData {
  flights(origin: string, destination: string, date?: string): Flight[];
  departures(city: string): Flight[];
  flight(id: string): Flight | undefined;
  hotels(city: string): Hotel[];
  hotel(id: string): Hotel | undefined;
  trips(): Trip[];
  trip(reference: string): Trip | undefined;
  /** Throws an `OverlapError` if the days are taken by another trip than that of this key. */
  checkFree(order: Pick<Order, 'key' | 'from' | 'to'>): void;
  /** Books a trip, or returns the one booked with this key. Throws an `OverlapError` like `checkFree`. */
  book(order: Order): Trip;
  close(): void;
}

const VERSION = 1;
const TABLES = `
  CREATE TABLE trips (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, firstDay TEXT, lastDay TEXT, details TEXT
  ) STRICT;
  PRAGMA user_version = ${VERSION};
`;

/** Runs a transaction that excludes other writers. */
function transaction<T>(database: DatabaseSync, act: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = act();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  transaction(database, () => {
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version === 0) database.exec(TABLES);
    else if (version !== VERSION)
      throw new Error(`${path} is of another version of this example (${version}). Delete it, or name another folder.`);
  });
  return database;
}

interface TripRow {
  readonly number: number;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly details: string;
}

const FIRST_NUMBER = 1000;
const MAX_DEPARTURES = 100;
function tripOf({ number, firstDay, lastDay, details }: TripRow): Trip {
  return {
    reference: `TRIP-${FIRST_NUMBER + number}`,
    from: firstDay,
    to: lastDay,
    details: JSON.parse(details) as Trip['details'],
  };
}

/**
 * Opens the database in a folder, and creates it if needed. Without a folder it is in memory, and lost with the process.
 *
 * @example
 * ```ts
 * const data = openTravelData('/home/me/travel');
 * data.flights('New York', 'Barcelona', '2024-06-15').length; // 47
 * ```
 */
export function openTravelData(folder?: string): TravelData {
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = open(folder === undefined ? ':memory:' : join(folder, 'travel.db'));

  const trips = database.prepare('SELECT * FROM trips ORDER BY firstDay LIMIT 1000');
  const trip = database.prepare('SELECT * FROM trips WHERE number = ?');
  const byKey = database.prepare('SELECT * FROM trips WHERE key = ?');
  // A trip may start on the last day of another.
  const overlap = database.prepare('SELECT * FROM trips WHERE firstDay < ? AND lastDay > ? AND key <> ?');
  const add = database.prepare('INSERT INTO trips (key, firstDay, lastDay, details) VALUES (?, ?, ?, ?)');

  const checkFree: TravelData['checkFree'] = ({ key, from, to }) => {
    const row = overlap.get(to, from, key) as TripRow | undefined;
    if (row !== undefined) throw new OverlapError(tripOf(row));
  };

  return {
    flights: flightsBetween,
    departures: (city) => departuresFrom(city, MAX_DEPARTURES),
    flight: flightWithId,
    hotels: (city) =>
      hotels.filter((one) => one.city === city).sort((a, b) => b.stars - a.stars || (a.id < b.id ? -1 : 1)),
    hotel: (id) => hotels.find((one) => one.id === id),
    trips: () => (trips.all() as unknown as TripRow[]).map(tripOf),
    trip(reference) {
      const number = Number(/^TRIP-(\d{4,9})$/.exec(reference)?.[1]) - FIRST_NUMBER;
      const row = Number.isNaN(number) ? undefined : (trip.get(number) as TripRow | undefined);
      return row === undefined ? undefined : tripOf(row);
    },
    checkFree,
    book: (order) =>
      transaction(database, () => {
        const { key, from, to, details } = order;
        if (byKey.get(key) === undefined) {
          checkFree(order);
          add.run(key, from, to, JSON.stringify(details));
        }
        return tripOf(byKey.get(key) as unknown as TripRow);
      }),
    close: () => database.close(),
  };
}
