// The customer's preferences and earlier trips. A real server would store them in the database.

/** The user's preferences by region. */
export const preferences: Readonly<Record<string, object>> = {
  europe: {
    airlines: ['Aurora Air', 'Blue Meridian'],
    departure: 'morning',
    mostLayovers: 1,
    seat: 'window',
    hotels: { leastStars: 4, location: 'beachfront', roomType: 'sea view' },
    interests: ['beaches', 'architecture', 'food'],
  },
  america: {
    airlines: ['Skylark'],
    departure: 'any time',
    mostLayovers: 0,
    seat: 'aisle',
    hotels: { leastStars: 3, location: 'old town', roomType: 'city view' },
    interests: ['music', 'museums'],
  },
};

/** A trip of the past. */
export interface PastTrip {
  readonly country: string;
  readonly city: string;
  readonly year: number;
  readonly hotel: string;
  readonly liked: readonly string[];
  readonly disliked: readonly string[];
}

export const pastTrips: readonly PastTrip[] = [
  {
    country: 'Spain',
    city: 'Barcelona',
    year: 2023,
    hotel: 'Casa Verde Barcelona',
    liked: ['Sagrada Família', 'tapas in El Born', 'Barceloneta beach'],
    disliked: ['no view of the sea', 'the flight arrived after midnight'],
  },
  {
    country: 'France',
    city: 'Paris',
    year: 2022,
    hotel: 'Station House Paris',
    liked: ['Musée d’Orsay', 'walking along the Seine'],
    disliked: ['the noise of the station'],
  },
  {
    country: 'Japan',
    city: 'Tokyo',
    year: 2019,
    hotel: 'Hotel Miramar Tokyo',
    liked: ['ramen', 'teamLab Planets'],
    disliked: ['two layovers'],
  },
];
