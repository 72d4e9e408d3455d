// A first server: weather alerts and forecasts of the United States, by the National Weather Service (https://api.weather.gov).
//   npx tenon run examples/weather/server.ts
//   npx tenon config add weather --host claude-desktop -- node /path/to/examples/weather/server.ts
import process from 'node:process';
import { server, tool, ToolError } from 'tenon';
import { serveStdio } from 'tenon/node';
import { z } from 'zod';

const API = process.env['WEATHER_API'] ?? 'https://api.weather.gov';

interface Alerts {
  readonly features: readonly {
    readonly properties: {
      readonly event?: string;
      readonly areaDesc?: string;
      readonly severity?: string;
      readonly status?: string;
      readonly headline?: string;
    };
  }[];
}
interface Point {
  readonly properties: { readonly forecast?: string };
}
interface Forecast {
  readonly properties: {
    readonly periods: readonly {
      readonly name?: string;
      readonly temperature?: number;
      readonly temperatureUnit?: string;
      readonly windSpeed?: string;
      readonly windDirection?: string;
      readonly shortForecast?: string;
    }[];
  };
}

/** Requests the service. An unknown place is an error that the model can read. */
async function ask<T>(path: string, signal: AbortSignal): Promise<T> {
  const headers = { 'user-agent': 'weather-example/1.0', accept: 'application/geo+json' };
  const response = await fetch(new URL(path, API), {
    headers,
    signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
  }).catch((error: Error) => {
    throw new ToolError(`The weather service could not be reached: ${error.message}`);
  });
  if (!response.ok) throw new ToolError(`The weather service answered with status ${response.status}`);
  return (await response.json()) as T;
}

const app = server({
  name: 'weather',
  version: '1.0.0',
  tools: {
    get_alerts: tool(
      {
        description: 'Get weather alerts for a state of the United States',
        input: z.object({
          state: z
            .string()
            .regex(/^[A-Za-z]{2}$/)
            .describe('Two-letter code, such as CA or NY'),
        }),
        readOnly: true,
      },
      async ({ state }, { signal }) => {
        const code = state.toUpperCase();
        const { features } = await ask<Alerts>(`/alerts/active?area=${code}`, signal);
        if (features.length === 0) return `No active alerts for ${code}`;
        const shown = features.map(({ properties: { event, areaDesc, severity, status, headline } }) =>
          [
            `Event: ${event}`,
            `Area: ${areaDesc}`,
            `Severity: ${severity}`,
            `Status: ${status}`,
            `Headline: ${headline}`,
          ].join('\n'),
        );
        return `Active alerts for ${code}:\n\n${shown.join('\n---\n')}`;
      },
    ),
    get_forecast: tool(
      {
        description: 'Get the weather forecast for a place in the United States',
        input: z.object({
          latitude: z.number().min(-90).max(90).describe('Latitude of the place'),
          longitude: z.number().min(-180).max(180).describe('Longitude of the place'),
        }),
        readOnly: true,
      },
      async ({ latitude, longitude }, { signal }) => {
        const place = `${latitude.toFixed(4)},${longitude.toFixed(4)}`;
        const { forecast } = (await ask<Point>(`/points/${place}`, signal)).properties;
        if (forecast === undefined) throw new ToolError(`There is no forecast for ${place}`);
        const { periods } = (await ask<Forecast>(new URL(forecast).pathname, signal)).properties;
        const shown = periods
          .slice(0, 5)
          .map((period) =>
            [
              `${period.name}:`,
              `Temperature: ${period.temperature}°${period.temperatureUnit}`,
              `Wind: ${period.windSpeed} ${period.windDirection}`,
              `${period.shortForecast}`,
            ].join('\n'),
          );
        return `Forecast for ${place}:\n\n${shown.join('\n---\n')}`;
      },
    ),
  },
});

export default app;
// Also runs as a program, for hosts that start it with node.
if (process.argv[1] === import.meta.filename) await serveStdio(app);
