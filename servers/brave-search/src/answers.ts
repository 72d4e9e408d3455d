// What is read from the answers of Brave Search. Nearly everything may be missing.
import { z } from 'zod';

const text = z.string().nullish();

export const WEB_ANSWER = z.object({
  // It is the only member that is always there: without it, another answer would count as one that has found nothing.
  type: z.literal('search'),
  query: z.object({ more_results_available: z.boolean().nullish() }).nullish(),
  web: z
    .object({
      results: z.array(
        z.object({
          title: z.string(),
          url: z.string(),
          description: text,
          age: text,
          language: text,
          extra_snippets: z.array(z.string()).nullish(),
        }),
      ),
    })
    .nullish(),
  locations: z.object({ results: z.array(z.object({ id: text })) }).nullish(),
});

const HOURS = z.object({ full_name: z.string(), opens: z.string(), closes: z.string() });

export const PLACES_ANSWER = z.object({
  results: z
    .array(
      z
        .object({
          id: text,
          title: z.string(),
          url: text,
          coordinates: z.array(z.number()).nullish(),
          postal_address: z
            .object({
              displayAddress: text,
              streetAddress: text,
              addressLocality: text,
              addressRegion: text,
              postalCode: text,
              country: text,
            })
            .nullish(),
          contact: z.object({ telephone: text }).nullish(),
          rating: z.object({ ratingValue: z.number().nullish(), reviewCount: z.number().nullish() }).nullish(),
          price_range: text,
          // A day without a second shift may be one object instead of a list.
          opening_hours: z.object({ days: z.array(z.union([z.array(HOURS), HOURS])).nullish() }).nullish(),
        })
        .nullable(),
    )
    .nullish(),
});

export const DESCRIPTIONS_ANSWER = z.object({
  results: z.array(z.object({ id: z.string(), description: text }).nullable()).nullish(),
});
