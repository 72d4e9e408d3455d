// The cities that the servers know, their spellings, and completion.

/** A city with its airport. */
export interface City {
  readonly name: string;
  /** As travelers write it: NYC is the city, JFK the airport. */
  readonly code: string;
  readonly airport: { readonly code: string; readonly name: string };
  readonly country: string;
  readonly latitude: number;
  readonly longitude: number;
  /** Hours ahead of UTC, in June. */
  readonly utcOffset: number;
  /** Price of a night in an average hotel, in dollars. */
  readonly night: number;
  readonly hasBeach: boolean;
}

type Row = readonly [
  name: string,
  code: string,
  airport: string,
  country: string,
  latitude: number,
  longitude: number,
  utcOffset: number,
  night: number,
  hasBeach: boolean,
];

const ROWS: readonly Row[] = [
  ['New York', 'NYC', 'JFK - John F. Kennedy International', 'United States', 40.6, -73.8, -4, 240, false],
  ['Barcelona', 'BCN', 'BCN - Josep Tarradellas Barcelona-El Prat', 'Spain', 41.3, 2.1, 2, 138, true],
  ['Barbados', 'BGI', 'BGI - Grantley Adams International', 'Barbados', 13.1, -59.5, -4, 190, true],
  ['Paris', 'CDG', 'CDG - Charles de Gaulle', 'France', 49, 2.5, 2, 200, false],
  ['Park City', 'SLC', 'SLC - Salt Lake City International', 'United States', 40.8, -112, -6, 210, false],
  ['London', 'LHR', 'LHR - Heathrow', 'United Kingdom', 51.5, -0.5, 1, 210, false],
  ['Madrid', 'MAD', 'MAD - Adolfo Suárez Madrid-Barajas', 'Spain', 40.5, -3.6, 2, 140, false],
  ['Rome', 'FCO', 'FCO - Leonardo da Vinci', 'Italy', 41.8, 12.2, 2, 150, false],
  ['Lisbon', 'LIS', 'LIS - Humberto Delgado', 'Portugal', 38.8, -9.1, 1, 130, true],
  ['Tokyo', 'HND', 'HND - Haneda', 'Japan', 35.6, 139.8, 9, 170, false],
  ['San Francisco', 'SFO', 'SFO - San Francisco International', 'United States', 37.6, -122.4, -7, 230, false],
  ['Mexico City', 'MEX', 'MEX - Benito Juárez International', 'Mexico', 19.4, -99.1, -6, 90, false],
];

/** All cities. */
export const cities: readonly City[] = ROWS.map(
  ([name, code, airport, country, latitude, longitude, utcOffset, night, hasBeach]) => ({
    name,
    code,
    airport: { code: airport.slice(0, 3), name: airport.slice(6) },
    country,
    latitude,
    longitude,
    utcOffset,
    night,
    hasBeach,
  }),
);

/** A city as a list of suggestions shows it: "Barcelona (BCN)". */
export function labelOf({ name, code }: City): string {
  return `${name} (${code})`;
}

/** An airport as a list of suggestions shows it: "JFK - John F. Kennedy International". */
export function airportLabelOf({ airport: { code, name } }: City): string {
  return `${code} - ${name}`;
}

function spellings(city: City): string[] {
  return [city.name, city.code, city.airport.code, labelOf(city), airportLabelOf(city)];
}

const known = new Map(cities.flatMap((city) => spellings(city).map((text) => [text.toLowerCase(), city] as const)));

/** Finds a city by its name, code or suggestion; case is ignored. */
export function findCity(text: string): City | undefined {
  return known.get(text.trim().toLowerCase());
}

/** Cities whose name, code or airport begins with the typed text. */
export function citiesLike(typed: string): City[] {
  const lower = typed.trim().toLowerCase();
  return cities.filter((city) => spellings(city).some((text) => text.toLowerCase().startsWith(lower)));
}

/** Suggests names of cities: "Par" gives Paris and Park City. */
export function completeCity(typed: string): string[] {
  return citiesLike(typed).map(({ name }) => name);
}

/** The message for a model that asks for an unknown city. */
export function unknownCity(text: string): string {
  return `There is no city "${text}" here. Known cities: ${cities.map(labelOf).join(', ')}.`;
}
