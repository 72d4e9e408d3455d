// The demo's replacement for a model. It is a script, and says so: it reads tool results and chooses by fixed rules.
import { scriptedModel, type ScriptContext, type ScriptReply } from '@tenon/host';
import { z } from 'zod';

/** The trip of the documentation's example. */
export const TRIP = {
  origin: 'New York',
  destination: 'Barcelona',
  from: '2024-06-15',
  to: '2024-06-22',
  travelers: 2,
  budget: 3000,
} as const;

const Flight = z.object({ id: z.string(), airline: z.string(), departure: z.string(), stops: z.int(), price: z.int() });
const Best = z.object({
  considered: z.int(),
  recommendations: z.array(z.object({ flight: Flight, reason: z.string() })),
});
const Flights = z.object({ flights: z.array(Flight) });
const Hotels = z.object({
  hotels: z.array(z.object({ id: z.string(), name: z.string(), location: z.string(), totalPrice: z.int() })),
});
const Weather = z.object({ days: z.array(z.object({ highCelsius: z.int(), summary: z.string() })) });
const Booked = z.object({ status: z.string(), message: z.string(), reference: z.string().optional() });

/** The parsed result of a tool; undefined if it is an error or has another shape. */
function read<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  try {
    return schema.parse(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}

function cheapest<T extends { readonly price: number }>(flights: readonly T[]): T {
  return flights.reduce((best, flight) => (flight.price < best.price ? flight : best));
}

function search(): ScriptReply {
  return {
    text: 'The week is free. I look for flights, a hotel by the beach, and the weather.',
    calls: [
      {
        tool: 'travel__findBestFlight',
        arguments: {
          origin: TRIP.origin,
          destination: TRIP.destination,
          date: TRIP.from,
          preferences: 'morning departure, at most 1 layover',
        },
      },
      {
        tool: 'travel__searchFlights',
        arguments: { origin: TRIP.destination, destination: TRIP.origin, date: TRIP.to },
      },
      {
        tool: 'travel__searchHotels',
        arguments: { city: TRIP.destination, checkIn: TRIP.from, checkOut: TRIP.to, guests: TRIP.travelers },
      },
      {
        tool: 'weather__checkWeather',
        arguments: { city: TRIP.destination, startDate: TRIP.from, endDate: TRIP.to },
      },
    ],
  };
}

function book({ results }: ScriptContext): ScriptReply {
  const best = read(Best, results[0]);
  const back = read(Flights, results[1]);
  const hotels = read(Hotels, results[2]);
  const weather = read(Weather, results[3]);
  const hotel = hotels?.hotels.find(({ location }) => location === 'beachfront') ?? hotels?.hotels[0];
  const outbound = best?.recommendations[0]?.flight;
  if (outbound === undefined || back === undefined || hotel === undefined) {
    return { text: `I could not find everything, so I stop here. ${results.join(' ')}` };
  }
  const warmest = Math.max(...(weather?.days ?? []).map(({ highCelsius }) => highCelsius));
  return {
    text:
      `Of ${best!.considered} flights I take ${outbound.id} (${outbound.airline}), and ${hotel.name}. ` +
      `It gets up to ${warmest} °C. Shall I book?`,
    calls: [
      {
        tool: 'travel__bookVacation',
        arguments: {
          outboundFlight: outbound.id,
          returnFlight: cheapest(back.flights).id,
          hotel: hotel.id,
          travelers: TRIP.travelers,
        },
      },
    ],
  };
}

function tellOthers({ results }: ScriptContext): ScriptReply {
  const booked = read(Booked, results[0]);
  if (booked?.reference === undefined) return { text: `Nothing is booked. ${booked?.message ?? results[0] ?? ''}` };
  return {
    text: `${booked.message} I put it into your calendar, save the itinerary and send the details.`,
    calls: [
      {
        tool: 'calendar__createCalendarEvent',
        arguments: { title: `Trip to ${TRIP.destination}`, startDate: TRIP.from, endDate: TRIP.to },
      },
      { tool: 'travel__saveItinerary', arguments: { reference: booked.reference } },
      {
        tool: 'calendar__sendEmail',
        arguments: {
          to: 'family@example.com',
          subject: `We fly to ${TRIP.destination}`,
          body: `${booked.message} The trip is ${booked.reference}.`,
        },
      },
    ],
  };
}

const STEPS = [search, book, tellOthers, (): ScriptReply => ({ text: 'Everything is done. Have a good trip.' })];

function textOf({ messages }: ScriptContext): string {
  return JSON.stringify(messages).replaceAll('\\n', '\n');
}

/** Plans the trip of the example: the next step depends on the number of tool results so far. */
function plan(context: ScriptContext): ScriptReply {
  if (!textOf(context).includes('Plan a vacation with me')) {
    return { text: 'I am a script, and all I can do is plan one trip. Choose the prompt /travel__plan-vacation.' };
  }
  const answered = context.messages.filter(({ role }) => role === 'tool').length;
  return STEPS[answered]?.(context) ?? { text: 'That was all. I am a script, and know one trip only.' };
}

const FLIGHT_LINE = /^(\S+): [^,]+, departs \S+T(\d\d):\d\d, .* (\d+) layovers, \$(\d+)$/gm;

/** Chooses among the listed flights: the cheapest that leaves in the morning, with at most one layover. */
function advise(context: ScriptContext): ScriptReply {
  const flights = [...textOf(context).matchAll(FLIGHT_LINE)].map(([, id = '', hour, stops, price]) => ({
    id,
    hour: Number(hour),
    stops: Number(stops),
    price: Number(price),
  }));
  const fitting = flights.filter(({ hour, stops }) => hour >= 6 && hour < 12 && stops <= 1);
  if (fitting.length === 0) return { text: 'None of these flights fits.' };
  const flight = cheapest(fitting);
  const layovers = flight.stops === 1 ? '1 layover' : 'no layover';
  const reason = `It leaves at ${flight.hour} in the morning, with ${layovers}, and no such flight costs less.`;
  return { text: JSON.stringify({ recommendations: [{ flight: flight.id, reason }] }) };
}

/** The script as a model, for the user's chat and for the travel server's sampling. */
export default scriptedModel((context) =>
  textOf(context).includes('Analyze these flight options') ? advise(context) : plan(context),
);
