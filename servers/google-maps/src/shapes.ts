// The fields of answers. Those that may be missing are left out of results, too.
import { z } from 'zod';

const text = z.string().nullish();
const count = z.number().nullish();

export const POINT = z.object({ lat: z.number(), lng: z.number() });
const MEASURE = z.object({ text: z.string(), value: z.number() });
const COMPONENT = z.object({ long_name: z.string(), short_name: z.string(), types: z.array(z.string()) });

export const GEOCODING_ANSWER = z.object({
  results: z.array(
    z.object({
      formatted_address: z.string(),
      place_id: z.string(),
      types: z.array(z.string()).nullish(),
      partial_match: z.boolean().nullish(),
      address_components: z.array(COMPONENT),
      geometry: z.object({ location: POINT }),
    }),
  ),
});
export const ADDRESS = z.object({
  formatted_address: z.string(),
  place_id: z.string(),
  address_components: z.array(COMPONENT),
});
export const GEOCODED = z.object({
  location: POINT,
  formatted_address: z.string(),
  place_id: z.string(),
  types: z.array(z.string()).nullish(),
  partial_match: z.boolean().nullish().describe('Whether only a part of the address was found'),
});

const geometry = z.object({ location: POINT }).nullish();

export const SEARCH_ANSWER = z.object({
  results: z.array(
    z.object({
      name: text,
      formatted_address: text,
      place_id: text,
      rating: count,
      user_ratings_total: count,
      price_level: count,
      business_status: text,
      types: z.array(z.string()).nullish(),
      geometry,
    }),
  ),
  next_page_token: text,
});

const HOURS = z.object({ open_now: z.boolean().nullish(), weekday_text: z.array(z.string()).nullish() }).nullish();
const REVIEW = z.object({
  author_name: z.string(),
  rating: z.number(),
  relative_time_description: text,
  time: count,
  text,
  language: text,
});
const DETAILS = z.object({
  name: text,
  formatted_address: text,
  formatted_phone_number: text,
  international_phone_number: text,
  website: text,
  url: text,
  rating: count,
  user_ratings_total: count,
  price_level: count,
  business_status: text,
  reviews: z.array(REVIEW).nullish(),
  opening_hours: HOURS,
});
export const DETAILS_ANSWER = z.object({ result: DETAILS.extend({ geometry }) });
export const PLACE_DETAILS = DETAILS.extend({ location: POINT.nullish() });

const ELEMENT = z.object({ status: z.string(), duration: MEASURE.nullish(), distance: MEASURE.nullish() });
const ADDRESSES = { origin_addresses: z.array(z.string()), destination_addresses: z.array(z.string()) };
const ROW = z.object({ elements: z.array(ELEMENT) });
export const MATRIX_ANSWER = z.object({ ...ADDRESSES, rows: z.array(ROW) });
export const MATRIX = z.object({ ...ADDRESSES, results: z.array(ROW) });

export const ELEVATIONS = z.object({
  results: z.array(z.object({ elevation: z.number(), location: POINT, resolution: count })),
});

const STEP = { distance: MEASURE.nullish(), duration: MEASURE.nullish(), travel_mode: text };
const WAY = { distance: MEASURE.nullish(), duration: MEASURE.nullish(), start_address: text, end_address: text };
const ROUTE = { summary: text, warnings: z.array(z.string()).nullish() };
export const DIRECTIONS_ANSWER = z.object({
  routes: z.array(
    z.object({
      ...ROUTE,
      legs: z.array(z.object({ ...WAY, steps: z.array(z.object({ ...STEP, html_instructions: text })) })),
    }),
  ),
});
export const DIRECTIONS = z.object({
  routes: z.array(z.object({ ...ROUTE, ...WAY, steps: z.array(z.object({ ...STEP, instructions: text })) })),
});
