import { tool } from 'tenon';
import { z } from 'zod';
import type { Api, ApiCall } from '../../shared/api/api.ts';
import { dataReply } from '../../shared/api/data-reply.ts';
import { READS } from '../../shared/api/hints.ts';
import { pick } from '../../shared/api/pick.ts';
import { WEB_ANSWER } from './answers.ts';
import { SERVICE } from './brave-client.ts';

/** The number of pages that can be skipped. */
const MAX_OFFSET = 9;
export const WRITERS = 'the authors of these pages and places';

function hasFewWords(text: string): boolean {
  return text.trim().split(/\s+/).length <= 50;
}

export const query = z.string().trim().min(1).max(400).refine(hasFewWords, 'must have at most 50 words');
export const count = z.int().min(1).max(20);

export const WEB_RESULT = z.object({
  title: z.string(),
  url: z.string(),
  description: z.string(),
  age: z.string().nullish(),
  language: z.string().nullish(),
  extra_snippets: z.array(z.string()).nullish(),
});

export interface WebQuery {
  readonly query: string;
  readonly count: number;
  readonly offset: number;
}

/** Searches the web. */
export async function searchWeb(call: ApiCall, { query: q, count, offset }: WebQuery) {
  const answer = pick(SERVICE, WEB_ANSWER, await call.json('web/search', { query: { q, count, offset } }));
  const results = (answer.web?.results ?? []).map((result) => ({ ...result, description: result.description ?? '' }));
  return { results, hasMore: answer.query?.more_results_available === true };
}

export function webSearch(api: Api) {
  return tool(
    {
      title: 'Search the web',
      description:
        'Performs a web search using the Brave Search API, ideal for general queries, news, articles, and online content. Use this for broad information gathering, recent events, or when you need diverse web sources. Maximum 20 results per request, with offset for pagination.',
      input: z.object({
        query: query.describe('Search query (max 400 chars, 50 words)'),
        count: count.default(10).describe('Number of results (1-20, default 10)'),
        offset: z
          .int()
          .min(0)
          .max(MAX_OFFSET)
          .default(0)
          .describe('Pagination offset: how many pages of `count` results to skip (max 9, default 0)'),
      }),
      output: z.object({
        results: z.array(WEB_RESULT),
        next_offset: z.number().nullable().describe('The offset of the next page; null after the last one'),
      }),
      ...READS,
    },
    async (input, ctx) => {
      const { results, hasMore } = await searchWeb(api(ctx), input);
      const next_offset = hasMore && input.offset < MAX_OFFSET ? input.offset + 1 : null;
      const notes = next_offset === null ? [] : [`There are more: ask for offset ${next_offset}.`];
      return dataReply(SERVICE, { results, next_offset }, { shown: results, notes, writers: WRITERS });
    },
  );
}
