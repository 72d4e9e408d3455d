// Read-only tools that search for flights and hotels.
import { tool, ToolError } from 'tenon';
import { z } from 'zod';
import { type City, findCity, unknownCity } from '../cities.ts';
import { day, DEMO, nightsBetween } from '../dates.ts';
import type { TravelData } from './data.ts';
import type { Flight } from './timetable.ts';

/** A flight in tool results. */
export const FlightShape = z.object({
  id: z.string().describe('Names this flight when booking'),
  airline: z.string(),
  origin: z.string(),
  destination: z.string(),
  departure: z.string().describe('Local time'),
  arrival: z.string().describe('Local time'),
  durationMinutes: z.int(),
  stops: z.int(),
  price: z.int().describe('Dollars for one traveler'),
});

const HotelShape = z.object({
  id: z.string().describe('Names this hotel when booking'),
  name: z.string(),
  stars: z.int(),
  location: z.string(),
  pricePerNight: z.int().describe('Dollars for a room of two'),
  totalPrice: z.int().describe('Dollars for the whole stay, all rooms'),
});

/** The search criteria for flights. */
export const Route = z.object({
  origin: z.string().describe('Departure city'),
  destination: z.string().describe('Arrival city'),
  date: day.describe('Travel date'),
});

/** Finds a city. Throws a tool error with suggestions for the model if it is unknown. */
export function cityNamed(text: string): City {
  const city = findCity(text);
  if (city === undefined) throw new ToolError(unknownCity(text));
  return city;
}

/** The flights of a day. A day without flights is an error, because the model would stop searching otherwise. */
export function flightsOn(data: TravelData, { origin, destination, date }: z.infer<typeof Route>): Flight[] {
  const [from, to] = [cityNamed(origin).name, cityNamed(destination).name];
  const found = data.flights(from, to, date);
  if (found.length > 0) return found;
  throw new ToolError(
    `There are no flights from ${from} to ${to} on ${date}. Flights are known from ${DEMO.first} to ${DEMO.last}.`,
  );
}

/** The number of nights of a stay. Throws a tool error if the stay does not end on a later day. */
export function nightsOf(checkIn: string, checkOut: string): number {
  const nights = nightsBetween(checkIn, checkOut);
  if (nights >= 1) return nights;
  throw new ToolError(`A stay from ${checkIn} to ${checkOut} has no nights. It must end on a later day.`);
}

/** Two people share a room. */
export function roomsFor(guests: number): number {
  return Math.ceil(guests / 2);
}

/** The tools `searchFlights` and `searchHotels`. */
export function searchTools(data: TravelData) {
  return {
    searchFlights: tool(
      {
        title: 'Search flights',
        description: 'Search for available flights',
        input: Route,
        output: z.object({ flights: z.array(FlightShape) }),
        readOnly: true,
        openWorld: false,
      },
      (route) => ({ flights: flightsOn(data, route) }),
    ),

    searchHotels: tool(
      {
        title: 'Search hotels',
        description: 'Search for hotels in a city, best ones first, with the price of the whole stay',
        input: z.object({
          city: z.string(),
          checkIn: day,
          checkOut: day,
          guests: z.int().min(1).max(9).default(1),
          budget: z.int().min(1).optional().describe('Most dollars for the whole stay'),
        }),
        output: z.object({ hotels: z.array(HotelShape) }),
        readOnly: true,
        openWorld: false,
      },
      ({ city, checkIn, checkOut, guests, budget = Infinity }) => {
        const nights = nightsOf(checkIn, checkOut);
        const hotels = data.hotels(cityNamed(city).name).map(({ id, name, stars, location, pricePerNight }) => {
          const totalPrice = pricePerNight * nights * roomsFor(guests);
          return { id, name, stars, location, pricePerNight, totalPrice };
        });
        return { hotels: hotels.filter(({ totalPrice }) => totalPrice <= budget) };
      },
    ),
  };
}
