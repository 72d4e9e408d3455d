// A tool that lets the client's model choose among flights, and validates its answer.
import { type SampleResult, tool, ToolError } from 'tenon';
import { z } from 'zod';
import type { TravelData } from './data.ts';
import { FlightShape, flightsOn, Route } from './search.ts';
import type { Flight } from './timetable.ts';

/** The answer format for the model. */
const Choice = z.object({
  recommendations: z
    .array(z.object({ flight: z.string(), reason: z.string().max(1_000) }))
    .min(1)
    .max(3),
});

function lineOf({ id, airline, departure, arrival, durationMinutes, stops, price }: Flight): string {
  return `${id}: ${airline}, departs ${departure}, arrives ${arrival}, ${durationMinutes} minutes, ${stops} layovers, $${price}`;
}

function questionOf(flights: readonly Flight[], preferences: string): string {
  return [
    'Analyze these flight options and recommend the best choice:',
    ...flights.map(lineOf),
    `User preferences: ${preferences}`,
    'Recommend up to three flights, the best one first. Answer with nothing but JSON of this form:',
    '{"recommendations":[{"flight":"the id of the flight","reason":"one sentence"}]}',
  ].join('\n');
}

function textOf({ content }: SampleResult): string {
  return (Array.isArray(content) ? content : [content])
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('');
}

/** The JSON in an answer; models often put text and code fences around it. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}

const INSTEAD = 'Call findBestFlight again, or call searchFlights and choose a flight yourself.';

/** The model's recommendations. Each must be one of the flights that it was shown. */
function recommended(answer: SampleResult, flights: readonly Flight[]): { flight: Flight; reason: string }[] {
  const choice = Choice.safeParse(jsonIn(textOf(answer)));
  if (!choice.success) throw new ToolError(`The model did not answer in the form it was asked for. ${INSTEAD}`);
  return choice.data.recommendations.map(({ flight: id, reason }) => {
    const flight = flights.find((one) => one.id === id);
    if (flight !== undefined) return { flight, reason };
    throw new ToolError(
      `The model recommended the flight ${JSON.stringify(id.slice(0, 50))}, which is not one of the ${flights.length} it was shown. ${INSTEAD}`,
    );
  });
}

/** The tool `findBestFlight`. */
export function bestFlightTool(data: TravelData) {
  return {
    findBestFlight: tool(
      {
        title: 'Find the best flight',
        description: 'Compare all flights of a day by what the user prefers, and recommend up to three of them',
        input: Route.extend({
          preferences: z.string().min(1).max(1_000).describe('Such as: morning departure, max 1 layover'),
        }),
        output: z.object({
          considered: z.int().describe('How many flights were compared'),
          recommendations: z
            .array(z.object({ flight: FlightShape, reason: z.string() }))
            .describe('The best one first'),
        }),
        readOnly: true,
        // Open world, because it uses the client's model.
        openWorld: true,
      },
      async ({ preferences, ...route }, ctx) => {
        const flights = flightsOn(data, route);
        const answer = await ctx.sample('bestFlight', {
          messages: [{ role: 'user', content: { type: 'text', text: questionOf(flights, preferences) } }],
          modelPreferences: {
            hints: [{ name: 'claude-sonnet-4' }],
            costPriority: 0.3,
            speedPriority: 0.2,
            intelligencePriority: 0.9,
          },
          systemPrompt: 'You are a travel expert helping users find the best flights based on their preferences',
          maxTokens: 1_500,
        });
        return { considered: flights.length, recommendations: recommended(answer, flights) };
      },
    ),
  };
}
