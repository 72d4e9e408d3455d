// The prompt that guides through planning a vacation with the tools of all three servers.
import { prompt } from 'tenon';
import { z } from 'zod';
import { completeCity } from '../cities.ts';
import { day } from '../dates.ts';
import { categoriesOf } from './activities.ts';

/** Prompt arguments are always text, so numbers are parsed from text. */
const wholeNumber = z.string().regex(/^[1-9]\d{0,6}$/, 'must be a whole number, such as 7');

const PlanVacation = z.object({
  destination: z.string().min(1).max(100).describe('City to travel to'),
  departure_date: day.optional().describe('First day, such as 2024-06-15'),
  return_date: day.optional().describe('Last day, such as 2024-06-22'),
  duration: wholeNumber.optional().describe('days'),
  budget: wholeNumber.optional().describe('Dollars for everything'),
  travelers: wholeNumber.optional().describe('How many people travel'),
  interests: z.string().max(500).optional().describe('Separated by commas, such as: beaches, architecture, food'),
});

/** The arguments that the user filled in, one line each. */
function wishesOf(wishes: z.infer<typeof PlanVacation>): string[] {
  return [
    ['Destination', wishes.destination],
    ['Departure', wishes.departure_date],
    ['Return', wishes.return_date],
    ['Days', wishes.duration],
    ['Budget in dollars', wishes.budget],
    ['Travelers', wishes.travelers],
    ['Interests', wishes.interests],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${value}`]));
}

const STEPS = `
1. Read what I have attached: my calendar, my travel preferences and my earlier trips. If the dates are open, choose days on which I am free.
2. Look for flights with searchFlights or findBestFlight, and for the weather on these days with checkWeather.
3. Look for hotels within the budget with searchHotels.
4. Show me the plan and its price, and wait for my answer.
5. Book with bookVacation, or with bookHotel if I need no flights. It asks me to confirm.
6. Put the trip into my calendar with createCalendarEvent, save its itinerary with saveItinerary, and send the details with sendEmail.

If one of these tools is missing, say so and go on without it.`;

/** The prompts of the travel server. */
export const travelPrompts = {
  'plan-vacation': prompt(
    {
      title: 'Plan a vacation',
      description: 'Guide through vacation planning process',
      input: PlanVacation,
      complete: { destination: completeCity, interests: categoriesOf(), travelers: ['1', '2', '3', '4'] },
    },
    (wishes) => `Plan a vacation with me.\n\n${wishesOf(wishes).join('\n')}\n${STEPS}`,
  ),
};
