// The weather server of the documentation's example: climate data and forecasts, over HTTP.
//   PORT=3001 node examples/travel/servers/weather.ts
//   npx tenon run examples/travel/servers/weather.ts --http 3001
// Without PORT any free port is used. The URL is printed on stderr.
import process from 'node:process';
import { resource, server, tool, ToolError } from 'tenon';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';
import { completeCity, findCity, unknownCity } from './cities.ts';
import { day, daysFrom, DEMO, nightsBetween } from './dates.ts';
import { weatherOf } from './weather/climate.ts';

const MAX_DAYS = 31;
const SOURCE = 'Made up from the averages of each month. Do not pack by it.';

const Forecast = z.object({
  date: day,
  highCelsius: z.int(),
  lowCelsius: z.int(),
  rainChance: z.int().describe('Percent'),
  summary: z.enum(['Sunny', 'Partly cloudy', 'Cloudy', 'Rain', 'Snow']),
});

const app = server({
  name: 'weather',
  version: '1.0.0',
  title: 'Weather',
  description: 'Provides climate data and forecasts.',
  instructions: 'Temperatures are in °C. Check the weather before anything is booked.',

  tools: {
    checkWeather: tool(
      {
        title: 'Check the weather',
        description: `Forecast for a city, for each day of a stay of up to ${MAX_DAYS} days`,
        input: z.object({
          city: z.string(),
          startDate: day.describe('First day'),
          endDate: day.describe('Last day'),
        }),
        output: z.object({ city: z.string(), source: z.string(), days: z.array(Forecast) }),
        readOnly: true,
        openWorld: false,
      },
      ({ city: named, startDate, endDate }) => {
        const city = findCity(named)?.name;
        if (city === undefined) throw new ToolError(unknownCity(named));
        if (startDate > endDate) throw new ToolError(`endDate ${endDate} is before startDate ${startDate}.`);
        // Check before the list is made, because the period could be centuries.
        if (nightsBetween(startDate, endDate) >= MAX_DAYS)
          throw new ToolError(`A forecast has at most ${MAX_DAYS} days. Ask for fewer.`);
        return {
          city,
          source: SOURCE,
          days: daysFrom(startDate, endDate).flatMap((date) => weatherOf(city, date) ?? []),
        };
      },
    ),
  },

  resources: {
    'weather://forecast/{city}/{date}': resource(
      {
        name: 'weather-forecast',
        title: 'Weather Forecast',
        description: 'Get weather forecast for any city and date',
        mimeType: 'application/json',
        complete: { city: completeCity, date: daysFrom(DEMO.first, DEMO.last) },
      },
      ({ city: named, date }) => {
        const city = findCity(named)?.name;
        if (city === undefined || !day.safeParse(date).success) return undefined;
        return { city, source: SOURCE, ...weatherOf(city, date) };
      },
    ),
  },
});

export default app;
if (process.argv[1] === import.meta.filename) {
  const { url } = await serveHttp(app, { port: Number(process.env['PORT'] ?? 0) });
  console.error(`The weather server listens at ${url}`);
}
