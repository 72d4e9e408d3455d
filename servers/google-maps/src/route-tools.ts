import { tool } from 'tenon';
import { z } from 'zod';
import type { ApiContext } from '../../shared/api/api.ts';
import { dataReply } from '../../shared/api/data-reply.ts';
import { READS } from '../../shared/api/hints.ts';
import { coordinates, LOCATION, mode, place } from './inputs.ts';
import { type Maps, SERVICE } from './maps-client.ts';
import { DIRECTIONS, DIRECTIONS_ANSWER, ELEVATIONS, MATRIX, MATRIX_ANSWER } from './shapes.ts';

/** Google's limits for one request ("Distance Matrix API Usage and Billing", "Elevation API"). */
const MAX_PLACES = 25;
const MAX_LOCATIONS = 512;

export function routeTools(mapsFor: (ctx: ApiContext) => Maps) {
  return {
    maps_distance_matrix: tool(
      {
        title: 'Measure distances',
        description: 'Calculate travel distance and time for multiple origins and destinations',
        input: z.object({
          origins: z.array(place).min(1).max(MAX_PLACES).describe('Array of origin addresses or coordinates'),
          destinations: z.array(place).min(1).max(MAX_PLACES).describe('Array of destination addresses or coordinates'),
          mode,
        }),
        output: MATRIX,
        ...READS,
      },
      async ({ origins, destinations, mode }, ctx) => {
        const query = { origins: origins.join('|'), destinations: destinations.join('|'), mode };
        const { rows: results, ...addresses } = await mapsFor(ctx)('distancematrix', query, MATRIX_ANSWER);
        return dataReply(SERVICE, { ...addresses, results });
      },
    ),
    maps_elevation: tool(
      {
        title: 'Get elevations',
        description: 'Get elevation data for locations on the earth',
        input: z.object({
          locations: z.array(LOCATION).min(1).max(MAX_LOCATIONS).describe('Array of locations to get elevation for'),
        }),
        output: ELEVATIONS,
        ...READS,
      },
      async ({ locations }, ctx) => {
        const query = { locations: locations.map((location) => coordinates(location)).join('|') };
        return dataReply(SERVICE, await mapsFor(ctx)('elevation', query, ELEVATIONS));
      },
    ),
    maps_directions: tool(
      {
        title: 'Get directions',
        description: 'Get directions between two points',
        input: z.object({
          origin: place.describe('Starting point address or coordinates'),
          destination: place.describe('Ending point address or coordinates'),
          mode,
        }),
        output: DIRECTIONS,
        ...READS,
      },
      async (query, ctx) => {
        const answer = await mapsFor(ctx)('directions', query, DIRECTIONS_ANSWER);
        // Without stops between, a route has one leg.
        const routes = answer.routes.map(({ legs: [leg], ...route }) => ({
          ...route,
          ...leg,
          steps: (leg?.steps ?? []).map(({ html_instructions: instructions, ...step }) => ({ instructions, ...step })),
        }));
        const notes = routes.length === 0 ? [`There is no route for ${query.mode}.`] : [];
        return dataReply(SERVICE, { routes }, { notes });
      },
    ),
  };
}
