import { tool } from 'tenon';
import { z } from 'zod';
import type { Api, ApiCall } from '../../shared/api/api.ts';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import { dataReply } from '../../shared/api/data-reply.ts';
import { READS } from '../../shared/api/hints.ts';
import { pick } from '../../shared/api/pick.ts';
import { DESCRIPTIONS_ANSWER, PLACES_ANSWER, WEB_ANSWER } from './answers.ts';
import { SERVICE } from './brave-client.ts';
import { count, query, searchWeb, WEB_RESULT, WRITERS } from './web-search.ts';

const text = z.string().nullish();

const PLACE = z.object({
  name: z.string(),
  address: text,
  phone: text,
  rating: z.number().nullish(),
  reviews: z.number().nullish().describe('The number of reviews'),
  price_range: text,
  hours: z.array(z.string()),
  description: text,
  url: text,
  coordinates: z.array(z.number()).nullish().describe('Latitude and longitude'),
});

type AnsweredPlace = NonNullable<NonNullable<z.infer<typeof PLACES_ANSWER>['results']>[number]>;

function addressOf({ postal_address: address }: AnsweredPlace): string | null {
  if (address == null) return null;
  const { displayAddress, streetAddress, addressLocality, addressRegion, postalCode } = address;
  const parts = [streetAddress, addressLocality, addressRegion, postalCode].filter(
    (part) => part != null && part !== '',
  );
  return displayAddress ?? (parts.length === 0 ? null : parts.join(', '));
}

function hoursOf({ opening_hours }: AnsweredPlace): string[] {
  return (opening_hours?.days ?? []).flatMap((day) => {
    const shifts = [day].flat();
    const times = shifts.map(({ opens, closes }) => `${opens}-${closes}`).join(', ');
    return shifts.length === 0 ? [] : [`${shifts[0]!.full_name} ${times}`];
  });
}

function toPlace(place: AnsweredPlace, descriptions: ReadonlyMap<string, string>): z.infer<typeof PLACE> {
  return {
    name: place.title,
    address: addressOf(place),
    phone: place.contact?.telephone,
    rating: place.rating?.ratingValue,
    reviews: place.rating?.reviewCount,
    price_range: place.price_range,
    hours: hoursOf(place),
    description: descriptions.get(place.id ?? ''),
    url: place.url,
    coordinates: place.coordinates,
  };
}

/** The ids of places that fit a query. */
async function findPlaces(call: ApiCall, { query: q, count }: { query: string; count: number }): Promise<string[]> {
  const query = { q, search_lang: 'en', result_filter: 'locations', count };
  const answer = pick(SERVICE, WEB_ANSWER, await call.json('web/search', { query }));
  const ids = (answer.locations?.results ?? []).map(({ id }) => id ?? '').filter((id) => id !== '');
  return [...new Set(ids)].slice(0, count);
}

/** The descriptions of places by id. They are an extra: without them, the places are still of use. */
async function describePlaces(call: ApiCall, ids: readonly string[]): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const answer = pick(SERVICE, DESCRIPTIONS_ANSWER, await call.json('local/descriptions', { query: { ids } }));
    const found = (answer.results ?? []).filter((result) => result !== null);
    return new Map(found.map(({ id, description }) => [id, description ?? '']));
  } catch (error) {
    if (apiErrorIn(error) === undefined) throw error;
    return undefined;
  }
}

export function localSearch(api: Api) {
  return tool(
    {
      title: 'Search for places',
      description:
        "Searches for local businesses and places using Brave's Local Search API. Best for queries related to physical locations, businesses, restaurants, services, etc. Returns names, addresses, ratings, numbers of reviews, phone numbers and opening hours. Use this when the query implies 'near me' or mentions specific locations. Automatically falls back to web search if no local results are found.",
      input: z.object({
        query: query.describe("Local search query (e.g. 'pizza near Central Park')"),
        count: count.default(5).describe('Number of results (1-20, default 5)'),
      }),
      output: z.object({
        places: z.array(PLACE),
        web_results: z.array(WEB_RESULT).describe('What a search of the web found, if there are no places'),
      }),
      ...READS,
    },
    async (input, ctx) => {
      const call = api(ctx);
      const ids = await findPlaces(call, input);
      if (ids.length === 0) {
        const { results } = await searchWeb(call, { ...input, offset: 0 });
        const notes = ["No places were found, or the user's plan does not include them: these are pages of the web."];
        const shown = { shown: results, notes, writers: WRITERS };
        return dataReply(SERVICE, { places: [], web_results: results }, shown);
      }
      // One after the other, because some plans permit one request per second.
      const answer = pick(SERVICE, PLACES_ANSWER, await call.json('local/pois', { query: { ids } }));
      const descriptions = await describePlaces(call, ids);
      const found = (answer.results ?? []).filter((place) => place !== null);
      const places = found.map((place) => toPlace(place, descriptions ?? new Map()));
      const notes = descriptions === undefined ? ['Their descriptions could not be read.'] : [];
      return dataReply(SERVICE, { places, web_results: [] }, { shown: places, notes, writers: WRITERS });
    },
  );
}
