// The flights between all cities on every day of June 2024. They are generated on demand, and are the same in every run.
import { type City, cities } from '../cities.ts';
import { chanceFrom } from '../chance.ts';
import { addDays, daysFrom, DEMO } from '../dates.ts';

/** A flight. Times are local, such as 2024-06-15T07:30. */
export interface Flight {
  /** Flight number and day, because the same number is used every day. */
  readonly id: string;
  readonly airline: string;
  readonly origin: string;
  readonly destination: string;
  readonly departure: string;
  readonly arrival: string;
  readonly durationMinutes: number;
  readonly stops: number;
  /** Price for one traveler, in dollars. */
  readonly price: number;
}

const AIRLINES = [
  ['Aurora Air', 'AQ'],
  ['Blue Meridian', 'BM'],
  ['Costa Lines', 'CL'],
  ['Northwind', 'NW'],
  ['Skylark', 'SY'],
  ['Vela Airways', 'VA'],
] as const;

/** The number of flights on the day of the documentation's example. */
const FLIGHTS_OF_THE_EXAMPLE = 47;
const FLIGHTS_A_DAY = 4;
/** The maximum number of flights on one route. */
const NUMBERS_A_ROUTE = 60;

function isTheExample(from: City, to: City, date: string): boolean {
  return from.code === 'NYC' && to.code === 'BCN' && date === '2024-06-15';
}

/** Great-circle distance in kilometers, by the haversine formula. */
function distance(from: City, to: City): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const north = Math.sin(radians(to.latitude - from.latitude) / 2) ** 2;
  const east = Math.sin(radians(to.longitude - from.longitude) / 2) ** 2;
  const share = north + Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * east;
  return 2 * 6371 * Math.asin(Math.sqrt(share));
}

/** The local time that is the given number of minutes after midnight of a day. */
function localTime(date: string, minutes: number): string {
  const days = Math.floor(minutes / 1440);
  const left = minutes - days * 1440;
  const [hour, minute] = [Math.floor(left / 60), left % 60].map((part) => String(part).padStart(2, '0'));
  return `${addDays(date, days)}T${hour}:${minute}`;
}

function flightsOf(from: City, to: City, route: number, date: string): Flight[] {
  const chance = chanceFrom(`${from.code} ${to.code} ${date}`);
  const kilometers = distance(from, to);
  const count = isTheExample(from, to, date) ? FLIGHTS_OF_THE_EXAMPLE : FLIGHTS_A_DAY;
  return Array.from({ length: count }, (_, index) => {
    const [airline, code] = AIRLINES[Math.floor(chance() * AIRLINES.length)]!;
    // Between five in the morning and eleven at night, every five minutes.
    const start = 300 + 5 * Math.floor(chance() * 216);
    const stops = Math.floor(chance() * 3);
    const waiting = stops * (60 + 5 * Math.floor(chance() * 24));
    const durationMinutes = 30 + 5 * Math.round(kilometers / 13.5 / 5) + waiting;
    const end = start + durationMinutes + 60 * (to.utcOffset - from.utcOffset);
    return {
      id: `${code}${100 + route * NUMBERS_A_ROUTE + index}-${date}`,
      airline,
      origin: from.name,
      destination: to.name,
      departure: localTime(date, start),
      arrival: localTime(date, end),
      durationMinutes,
      stops,
      price: Math.round((50 + kilometers * 0.05) * (1.15 - 0.15 * stops + 0.35 * chance())),
    };
  });
}

/** All routes between two cities. The index of a route is part of its flight numbers. */
const routes = cities.flatMap((from) => cities.filter((to) => to !== from).map((to) => [from, to] as const));
const dates = daysFrom(DEMO.first, DEMO.last);

function sorted(flights: Flight[]): Flight[] {
  const keyOf = ({ departure, id }: Flight): string => `${departure} ${id}`;
  return flights.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** The flights from one city to another, of one day or of all, by departure. Cities are given by name. */
export function flightsBetween(origin: string, destination: string, date?: string): Flight[] {
  const route = routes.findIndex(([from, to]) => from.name === origin && to.name === destination);
  if (route === -1) return [];
  const wanted = date === undefined ? dates : dates.filter((each) => each === date);
  return sorted(wanted.flatMap((each) => flightsOf(...routes[route]!, route, each)));
}

/** The first flights of the month from a city, by departure. */
export function departuresFrom(origin: string, most: number): Flight[] {
  const found: Flight[] = [];
  for (const date of dates) {
    if (found.length >= most) break;
    const ofDay = routes.flatMap(([from, to], route) => (from.name === origin ? flightsOf(from, to, route, date) : []));
    found.push(...sorted(ofDay));
  }
  return found.slice(0, most);
}

/** The flight with this id. */
export function flightWithId(id: string): Flight | undefined {
  const [, number = '', date = ''] = /^[A-Z]{2}(\d{3,6})-(.{10})$/.exec(id) ?? [];
  const route = Math.floor((Number(number) - 100) / NUMBERS_A_ROUTE);
  if (routes[route] === undefined || !dates.includes(date)) return undefined;
  return flightsOf(...routes[route], route, date).find((flight) => flight.id === id);
}
