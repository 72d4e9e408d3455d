// Generates hotels: five in every city.
import { cities } from '../cities.ts';

/** A hotel. */
export interface Hotel {
  readonly id: string;
  readonly city: string;
  readonly name: string;
  readonly stars: number;
  readonly location: string;
  /** Price of a double room, in dollars. */
  readonly pricePerNight: number;
}

const KINDS = [
  { name: 'Hotel Miramar', stars: 4, location: 'waterfront', factor: 1.2 },
  { name: 'Grand Palace', stars: 5, location: 'old town', factor: 2.1 },
  { name: 'Casa Verde', stars: 3, location: 'by the park', factor: 0.9 },
  { name: 'Station House', stars: 3, location: 'at the station', factor: 0.75 },
  { name: 'Compass Hostel', stars: 2, location: 'old town', factor: 0.4 },
] as const;

/** All hotels. */
export const hotels: readonly Hotel[] = cities.flatMap(({ name: city, hasBeach, night }) =>
  KINDS.map(({ name, stars, location, factor }) => ({
    id: `${city} ${name}`.toLowerCase().replaceAll(' ', '-'),
    city,
    name: `${name} ${city}`,
    stars,
    location: hasBeach && location === 'waterfront' ? 'beachfront' : location,
    pricePerNight: Math.round(night * factor),
  })),
);
