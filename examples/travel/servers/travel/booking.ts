// Tools that book. Nothing is booked without the consent of the user, and nothing twice.
import { type CallContext, type TypedElicitResult, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { day } from '../dates.ts';
import { type Order, OverlapError, type Trip, type TravelData } from './data.ts';
import type { Hotel } from './hotels.ts';
import { nightsOf, roomsFor } from './search.ts';
import type { Flight } from './timetable.ts';

const INSURANCE = 150;
function dollars(amount: number): string {
  return `$${amount.toLocaleString('en-US')}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

const Booked = z.object({
  status: z.enum(['booked', 'not booked']),
  message: z.string(),
  reference: z.string().optional().describe('Names the trip'),
  itinerary: z.string().optional().describe('The resource with all details'),
  totalPrice: z.int().optional().describe('Dollars, with all extras'),
});

const RoomType = z.enum(['sea view', 'city view', 'garden view']).default('city view').describe('Preferred room type');

const HotelForm = z.object({
  confirmBooking: z.boolean().describe('Confirm the booking'),
  roomType: RoomType,
});

const VacationForm = z.object({
  confirmBooking: z.boolean().describe('Confirm the booking of flights and hotel'),
  seatPreference: z
    .enum(['window', 'aisle', 'no preference'])
    .default('no preference')
    .describe('Preferred seat type for flights'),
  roomType: RoomType,
  travelInsurance: z
    .boolean()
    .default(false)
    .describe(`Add travel insurance (${dollars(INSURANCE)})`),
});

function flightNamed(data: TravelData, id: string): Flight {
  const flight = data.flight(id);
  if (flight === undefined) throw new ToolError(`There is no flight "${id}". Use an id that searchFlights returned.`);
  return flight;
}

function hotelNamed(data: TravelData, id: string): Hotel {
  const hotel = data.hotel(id);
  if (hotel === undefined) throw new ToolError(`There is no hotel "${id}". Use an id that searchHotels returned.`);
  return hotel;
}

/** Checks that the flights are a round trip, and the hotel is at its destination. */
function checkVacation(outbound: Flight, back: Flight, hotel: Hotel): void {
  if (back.origin !== outbound.destination || back.destination !== outbound.origin)
    throw new ToolError(`${back.id} does not fly back from ${outbound.destination} to ${outbound.origin}.`);
  if (hotel.city !== outbound.destination)
    throw new ToolError(`${hotel.name} is in ${hotel.city}, and ${outbound.id} flies to ${outbound.destination}.`);
}

/** Turns an `OverlapError` into a tool error for the model. */
function refusing<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof OverlapError ? new ToolError(error.message) : error;
  }
}

function hasConsent<T extends { confirmBooking: boolean }>(
  answer: TypedElicitResult<T>,
): answer is { action: 'accept'; content: T } {
  return answer.action === 'accept' && answer.content.confirmBooking;
}

const NOT_BOOKED = { status: 'not booked', message: 'The user did not confirm, so nothing was booked.' } as const;

/** The URI of a trip's details. */
export function itineraryOf(reference: string): string {
  return `travel://itineraries/${reference}`;
}

/** The tools `bookVacation`, `bookHotel` and `listTrips`. `onBooked` is called for every booked trip. */
export function bookingTools(data: TravelData, onBooked: (trip: Trip) => void) {
  /** Books exactly once, even if the handler runs several times or the process is restarted. */
  const book = async (ctx: CallContext, order: Order, totalPrice: number) => {
    const trip = await ctx.once('book', () => refusing(() => data.book(order)));
    onBooked(trip);
    return {
      status: 'booked' as const,
      message: `Booked from ${trip.from} to ${trip.to} for ${dollars(totalPrice)}.`,
      reference: trip.reference,
      itinerary: itineraryOf(trip.reference),
      totalPrice,
    };
  };

  return {
    bookVacation: tool(
      {
        title: 'Book a vacation',
        description: 'Book flights there and back and a hotel for the nights between, after the user has confirmed',
        input: z.object({
          outboundFlight: z.string().describe('Id of the flight there'),
          returnFlight: z.string().describe('Id of the flight back'),
          hotel: z.string().describe('Id of the hotel'),
          travelers: z.int().min(1).max(9).default(1),
        }),
        output: Booked,
        // Destructive, because it spends the user's money irrevocably.
        destructive: true,
        idempotent: false,
        openWorld: false,
      },
      async ({ outboundFlight, returnFlight, hotel: hotelId, travelers }, ctx) => {
        const [outbound, back] = [flightNamed(data, outboundFlight), flightNamed(data, returnFlight)];
        const hotel = hotelNamed(data, hotelId);
        checkVacation(outbound, back, hotel);
        const [from, to] = [outbound.departure.slice(0, 10), back.departure.slice(0, 10)];
        // If the flight arrives on the next day, the stay starts then.
        const nights = nightsOf(outbound.arrival.slice(0, 10), to);
        const total = (outbound.price + back.price) * travelers + hotel.pricePerNight * nights * roomsFor(travelers);
        const key = ctx.idempotencyKey;
        // Check before asking the user.
        refusing(() => data.checkFree({ key, from, to }));

        const question =
          `Please confirm your ${hotel.city} vacation booking details: flights ${outbound.id} and ${back.id}, ` +
          `${hotel.name} for ${counted(nights, 'night')}, ${counted(travelers, 'traveler')}. Total ${dollars(total)}`;
        const answer = await ctx.elicit('confirmVacation', question, VacationForm);
        if (!hasConsent(answer)) return NOT_BOOKED;

        const { seatPreference, roomType, travelInsurance } = answer.content;
        const totalPrice = total + (travelInsurance ? INSURANCE : 0);
        const extras = { travelers, seatPreference, roomType, travelInsurance, totalPrice };
        return book(ctx, { key, from, to, details: { outbound, back, hotel, ...extras } }, totalPrice);
      },
    ),

    bookHotel: tool(
      {
        title: 'Book a hotel',
        description: 'Book a hotel without flights, after the user has confirmed',
        input: z.object({
          hotel: z.string().describe('Id of the hotel'),
          checkIn: day,
          checkOut: day,
          guests: z.int().min(1).max(9).default(1),
        }),
        output: Booked,
        destructive: true,
        idempotent: false,
        openWorld: false,
      },
      async ({ hotel: hotelId, checkIn, checkOut, guests }, ctx) => {
        const hotel = hotelNamed(data, hotelId);
        const nights = nightsOf(checkIn, checkOut);
        const totalPrice = hotel.pricePerNight * nights * roomsFor(guests);
        const stay = { key: ctx.idempotencyKey, from: checkIn, to: checkOut };
        refusing(() => data.checkFree(stay));

        const question =
          `Please confirm your booking: ${hotel.name} from ${checkIn} to ${checkOut}, ` +
          `${counted(guests, 'guest')}. Total ${dollars(totalPrice)}`;
        const answer = await ctx.elicit('confirmHotel', question, HotelForm);
        if (!hasConsent(answer)) return NOT_BOOKED;

        const { roomType } = answer.content;
        return book(ctx, { ...stay, details: { hotel, guests, roomType, totalPrice } }, totalPrice);
      },
    ),

    listTrips: tool(
      {
        title: 'List trips',
        description: 'List the booked trips by date',
        output: z.object({
          trips: z.array(z.object({ reference: z.string(), from: day, to: day, itinerary: z.string() })),
        }),
        readOnly: true,
        openWorld: false,
      },
      () => ({
        trips: data.trips().map(({ reference, from, to }) => ({
          reference,
          from,
          to,
          itinerary: itineraryOf(reference),
        })),
      }),
    ),
  };
}
