// The travel server of the documentation's example: flights, hotels and itineraries, over stdio.
//   node examples/travel/servers/travel.ts
//   npx tenon run examples/travel/servers/travel.ts
// TRAVEL_DATA names a folder for bookings; without it, they are lost when the process ends.
import process from 'node:process';
import { server } from 'tenon';
import { serveStdio } from 'tenon/node';
import { bestFlightTool } from './travel/best-flight.ts';
import { bookingTools, itineraryOf } from './travel/booking.ts';
import { openTravelData, type TravelData, type Trip } from './travel/data.ts';
import { documentResources, documentTools } from './travel/documents.ts';
import { travelPrompts } from './travel/prompts.ts';
import { itinerary, travelResources } from './travel/resources.ts';
import { searchTools } from './travel/search.ts';

/** Makes the server with a database. */
export function travelServer(data: TravelData) {
  /** Adds the resource of a new trip, which notifies watchers of the list. */
  const addItinerary = (trip: Trip): void => {
    app.resources.set(itineraryOf(trip.reference), itinerary(trip));
  };
  const app = server({
    name: 'travel',
    version: '1.0.0',
    title: 'Travel agency',
    description: 'A travel planning server for searching flights, booking hotels, and building itineraries.',
    instructions:
      'Always call searchFlights or findBestFlight, and searchHotels, before bookVacation: it needs the ids that they return. ' +
      'The booking tools ask the user to confirm, so do not ask again yourself. Prices are in dollars. ' +
      'The prompt plan-vacation combines all tools.',
    tools: {
      ...searchTools(data),
      ...bestFlightTool(data),
      ...bookingTools(data, addItinerary),
      ...documentTools(data),
    },
    resources: { ...travelResources(data), ...documentResources },
    prompts: travelPrompts,
  });
  for (const trip of data.trips()) addItinerary(trip);
  return app;
}

const app = travelServer(openTravelData(process.env['TRAVEL_DATA']));
export default app;
if (process.argv[1] === import.meta.filename) await serveStdio(app);
