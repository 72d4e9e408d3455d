import { tool, ToolError } from 'tenon';
import { z } from 'zod';
import type { ApiContext } from '../../shared/api/api.ts';
import { dataReply } from '../../shared/api/data-reply.ts';
import { READS } from '../../shared/api/hints.ts';
import { coordinates, latitude, LOCATION, longitude } from './inputs.ts';
import { type Maps, SERVICE } from './maps-client.ts';
import { ADDRESS, DETAILS_ANSWER, GEOCODED, GEOCODING_ANSWER, PLACE_DETAILS, POINT, SEARCH_ANSWER } from './shapes.ts';

const FOUND_PLACE = SEARCH_ANSWER.shape.results.element.omit({ geometry: true }).extend({ location: POINT.nullish() });

/** The best result of a geocoding request, and a note if there are others. */
async function geocode(maps: Maps, query: Readonly<Record<string, string>>, what: string) {
  const { results } = await maps('geocode', query, GEOCODING_ANSWER);
  const [best] = results;
  if (best === undefined) throw new ToolError(`${SERVICE} knows nothing at ${what}. Check it, or ask for less of it.`);
  const notes = results.length === 1 ? [] : [`This is the best of ${results.length} results.`];
  return { best, notes };
}

export function placeTools(mapsFor: (ctx: ApiContext) => Maps) {
  return {
    maps_geocode: tool(
      {
        title: 'Geocode an address',
        description: 'Convert an address into geographic coordinates',
        input: z.object({ address: z.string().trim().min(1).max(1_000).describe('The address to geocode') }),
        output: GEOCODED,
        ...READS,
      },
      async ({ address }, ctx) => {
        const { best, notes } = await geocode(mapsFor(ctx), { address }, 'this address');
        const { geometry, address_components: _, ...rest } = best;
        return dataReply(SERVICE, { location: geometry.location, ...rest }, { notes });
      },
    ),
    maps_reverse_geocode: tool(
      {
        title: 'Find an address',
        description: 'Convert coordinates into an address',
        input: z.object({
          latitude: latitude.describe('Latitude coordinate'),
          longitude: longitude.describe('Longitude coordinate'),
        }),
        output: ADDRESS,
        ...READS,
      },
      async (location, ctx) => {
        const { best, notes } = await geocode(mapsFor(ctx), { latlng: coordinates(location) }, 'this location');
        const { formatted_address, place_id, address_components } = best;
        return dataReply(SERVICE, { formatted_address, place_id, address_components }, { notes });
      },
    ),
    maps_search_places: tool(
      {
        title: 'Search for places',
        description: 'Search for places using Google Places API',
        input: z.object({
          query: z.string().trim().min(1).max(1_000).describe('Search query'),
          location: LOCATION.optional().describe('Optional center point for the search'),
          radius: z.number().min(1).max(50_000).optional().describe('Search radius in meters (max 50000)'),
          page_token: z.string().min(1).max(4_000).optional().describe('The next_page_token of the page before'),
        }),
        output: z.object({
          places: z.array(FOUND_PLACE),
          next_page_token: z.string().nullable().describe('For page_token, to get more; null after the last page'),
        }),
        ...READS,
      },
      async ({ query, location, radius, page_token: pagetoken }, ctx) => {
        const center = location === undefined ? undefined : coordinates(location);
        const search = { query, location: center, radius, pagetoken };
        const answer = await mapsFor(ctx)('place/textsearch', search, SEARCH_ANSWER);
        const places = answer.results.map(({ geometry, ...place }) => ({ ...place, location: geometry?.location }));
        const next_page_token = answer.next_page_token ?? null;
        const notes = next_page_token === null ? [] : ['There are more: ask for them with next_page_token.'];
        return dataReply(SERVICE, { places, next_page_token }, { notes });
      },
    ),
    maps_place_details: tool(
      {
        title: 'Get details of a place',
        description: 'Get detailed information about a specific place',
        input: z.object({ place_id: z.string().trim().min(1).max(1_000).describe('The place ID to get details for') }),
        output: PLACE_DETAILS,
        ...READS,
      },
      async (query, ctx) => {
        const { result } = await mapsFor(ctx)('place/details', query, DETAILS_ANSWER);
        const { geometry, ...rest } = result;
        return dataReply(SERVICE, { ...rest, location: geometry?.location });
      },
    ),
  };
}
