// The weather service for machines without a network: responses in the format of https://api.weather.gov.
//   node examples/weather/offline.ts     then start the server with WEATHER_API=http://127.0.0.1:4010
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';

const ALERTS: Readonly<Record<string, object>> = {
  CA: {
    type: 'FeatureCollection',
    title: 'Current watches, warnings, and advisories for California',
    features: [
      {
        id: 'urn:oid:2.49.0.1.840.0.1',
        type: 'Feature',
        geometry: null,
        properties: {
          event: 'Wind Advisory',
          areaDesc: 'Santa Cruz Mountains; San Francisco Peninsula Coast',
          severity: 'Moderate',
          certainty: 'Likely',
          urgency: 'Expected',
          status: 'Actual',
          headline:
            'Wind Advisory issued November 20 at 1:07PM PST until November 21 at 10:00AM PST by NWS San Francisco CA',
          description: 'Northwest winds 20 to 30 mph with gusts up to 50 mph expected.',
          instruction: 'Use extra caution when driving.',
        },
      },
    ],
  },
};

const PERIODS = [
  ['Tonight', 52, '5 mph', 'W', 'Partly Cloudy'],
  ['Saturday', 63, '5 to 10 mph', 'NW', 'Sunny'],
  ['Saturday Night', 50, '5 mph', 'N', 'Mostly Clear'],
  ['Sunday', 66, '5 mph', 'NE', 'Sunny'],
  ['Sunday Night', 51, '0 to 5 mph', 'E', 'Clear'],
  ['Monday', 64, '5 mph', 'W', 'Slight Chance Light Rain'],
] as const;

/** Starts the server. */
export async function startOffline(port = 0): Promise<{ readonly url: string; close(): void }> {
  let origin = '';
  const answer = (url: URL): object | undefined => {
    if (url.pathname === '/alerts/active')
      return ALERTS[url.searchParams.get('area') ?? ''] ?? { type: 'FeatureCollection', features: [] };
    const [, latitude, longitude] = /^\/points\/(-?[\d.]+),(-?[\d.]+)$/.exec(url.pathname) ?? [];
    // The service covers only the United States.
    if (latitude !== undefined)
      return Number(latitude) > 24 && Number(latitude) < 50 && Number(longitude) < -66
        ? {
            type: 'Feature',
            properties: { gridId: 'MTR', gridX: 85, gridY: 105, forecast: `${origin}/gridpoints/MTR/85,105/forecast` },
          }
        : undefined;
    if (url.pathname === '/gridpoints/MTR/85,105/forecast')
      return {
        type: 'Feature',
        properties: {
          periods: PERIODS.map(([name, temperature, windSpeed, windDirection, shortForecast], index) => ({
            number: index + 1,
            name,
            temperature,
            temperatureUnit: 'F',
            windSpeed,
            windDirection,
            shortForecast,
          })),
        },
      };
    return undefined;
  };
  const server = createServer((request, response) => {
    const found = answer(new URL(request.url ?? '/', 'http://x'));
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/geo+json' });
    response.end(JSON.stringify(found ?? { status: 404, title: 'Data Unavailable For Requested Point' }));
  }).listen(port, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: origin,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

if (process.argv[1] === import.meta.filename) console.log((await startOffline(4010)).url);
