import { setTimeout as sleep } from 'node:timers/promises';
import { CALLS } from '../servers/brave-search/src/fixtures/calls.ts';
import { createStandIn } from '../servers/brave-search/src/fixtures/stand-in.ts';
import type { Comparison, Result } from './comparison.ts';

const KEY = 'BSA-compared';

interface Page {
  readonly title: string;
  readonly description: string;
  readonly url: string;
}

/** The part that the original answers. */
function read({ structuredContent }: Result): unknown {
  const { results } = structuredContent as { results?: readonly Page[] };
  return results?.map(({ title, description, url }) => ({ title, description, url })) ?? structuredContent;
}

/** The pages that the original writes as lines of text. */
function readOriginal({ content }: Result): unknown {
  const text = content.map(({ text = '' }) => text).join('\n');
  return text.split('\n\n').map((page) => {
    const [, title, description, url] = /^Title: (.*)\nDescription: (.*)\nURL: (.*)$/.exec(page) ?? [];
    return { title, description, url };
  });
}

const OWN_LIMIT = 'the original permits itself one request per second, and needs three: it always fails';

export const braveSearch: Comparison = {
  name: 'brave-search',
  origins: ['https://api.search.brave.com'],
  async start() {
    const standIn = createStandIn();
    await standIn.start();
    return {
      url: standIn.url,
      // The original fails if it is asked twice within a second.
      reset: async () => {
        standIn.reset();
        await sleep(1_100);
      },
      stop: () => standIn.stop(),
    };
  },
  ours: (url) => ({ args: ['--api-url', `${url}/res/v1`], env: { BRAVE_API_KEY: KEY } }),
  original: () => ({ env: { BRAVE_API_KEY: KEY } }),
  read,
  readOriginal,
  calls: CALLS.map(({ name, args }) => ({
    name,
    args,
    otherAnswer:
      name === 'brave_local_search' ? OWN_LIMIT : 'offset' in args ? 'the original ignores the offset' : undefined,
    otherRequests:
      name === 'brave_local_search' ? OWN_LIMIT : 'offset' in args ? 'the original ignores the offset' : undefined,
  })),
};
