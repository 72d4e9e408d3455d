// The resources: preferences, earlier trips, activities, flights, and booked trips.
import { resource } from 'tenon';
import { airportLabelOf, citiesLike, cities, completeCity, findCity, labelOf } from '../cities.ts';
import { activities, categoriesOf } from './activities.ts';
import type { TravelData, Trip } from './data.ts';
import { type PastTrip, pastTrips, preferences } from './history.ts';

const JSON_TYPE = 'application/json';

function startingWith(values: readonly string[], typed: string): string[] {
  return values.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
}

function sameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Earlier trips as resources, named by one of their properties. */
function earlierTrips(scheme: string, what: string, nameOf: (trip: PastTrip) => string) {
  return resource(
    {
      name: what,
      description: 'A trip of an earlier year: what was booked, what was liked and what was not',
      mimeType: JSON_TYPE,
      list: () =>
        pastTrips.map((trip) => ({
          uri: `${scheme}${nameOf(trip)}`,
          name: nameOf(trip),
          title: `Trip to ${trip.city} in ${trip.year}`,
          mimeType: JSON_TYPE,
        })),
      complete: { trip: pastTrips.map(nameOf) },
    },
    ({ trip: wanted }: { trip: string }) => pastTrips.find((trip) => sameText(nameOf(trip), wanted)),
  );
}

/** The resources of the travel server, by URI and template. */
export function travelResources(data: TravelData) {
  return {
    ...Object.fromEntries(
      Object.entries(preferences).map(([region, found]) => [
        `travel://preferences/${region}`,
        resource(
          { name: `preferences-${region}`, title: `Travel preferences: ${region}`, mimeType: JSON_TYPE },
          () => found,
        ),
      ]),
    ),

    'travel://past-trips/{trip}': earlierTrips('travel://past-trips/', 'past-trip', (t) => `${t.country}-${t.year}`),
    'trips://history/{trip}': earlierTrips(
      'trips://history/',
      'trip-history',
      (t) => `${t.city.toLowerCase()}-${t.year}`,
    ),

    'travel://activities/{city}/{category}': resource(
      {
        name: 'activities',
        title: 'Activities',
        description: 'Activities by city and category',
        mimeType: JSON_TYPE,
        complete: {
          city: completeCity,
          category: (typed, { resolved }) => startingWith(categoriesOf(findCity(resolved['city'] ?? '')?.name), typed),
        },
      },
      ({ city, category }: { city: string; category: string }) =>
        activities.get(findCity(city)?.name ?? '')?.[category.toLowerCase()],
    ),

    'travel://flights/{origin}/{destination}': resource(
      {
        name: 'flight-search',
        title: 'Flight Search',
        description: 'Search available flights between cities',
        mimeType: JSON_TYPE,
        complete: {
          origin: (typed) => citiesLike(typed).map(labelOf),
          // The origin is not a destination.
          destination: (typed, { resolved }) =>
            citiesLike(typed)
              .filter((city) => city !== findCity(resolved['origin'] ?? ''))
              .map(labelOf),
        },
      },
      ({ origin, destination }: { origin: string; destination: string }) => {
        const [from, to] = [findCity(origin), findCity(destination)];
        return from === undefined || to === undefined ? undefined : data.flights(from.name, to.name);
      },
    ),

    // Includes bookings that another process has made meanwhile.
    'travel://itineraries/{reference}': resource(
      {
        name: 'itinerary',
        title: 'Itinerary',
        description: 'A booked trip with all details',
        mimeType: JSON_TYPE,
        complete: {
          reference: (typed) =>
            startingWith(
              data.trips().map(({ reference }) => reference),
              typed,
            ),
        },
      },
      ({ reference }: { reference: string }) => {
        const trip = data.trip(reference);
        return trip === undefined ? undefined : itineraryText(trip);
      },
    ),

    'flights://search/{airport}': resource(
      {
        name: 'departures',
        title: 'Departures',
        description: 'The next hundred flights from an airport',
        mimeType: JSON_TYPE,
        complete: { airport: cities.map(airportLabelOf) },
      },
      ({ airport }: { airport: string }) => {
        const city = findCity(airport);
        return city === undefined ? undefined : data.departures(city.name);
      },
    ),
  };
}

/** The contents of an itinerary. */
function itineraryText({ reference, from, to, details }: Trip): object {
  return { reference, from, to, ...details };
}

/** A booked trip as a listed resource. */
export function itinerary(trip: Trip) {
  return resource(
    { name: trip.reference, title: `Itinerary ${trip.reference}, ${trip.from} to ${trip.to}`, mimeType: JSON_TYPE },
    () => itineraryText(trip),
  );
}
