import { dataReply } from '../../shared/api/data-reply.ts';
import { pick } from '../../shared/api/pick.ts';
import { collectPages, nextPage } from '../../shared/api/pages.ts';
import { z, type ZodType } from 'zod';
import type { Access } from './access.ts';
import { type Github, type GithubAnswer, SERVICE } from './github-client.ts';

/** What the tools get from their server. */
export interface ToolSetting {
  readonly access: Access;
  /** Whether to ask the user before a merge, if the client supports elicitation. */
  readonly confirm: boolean;
}

/** The result with the fields of a shape. */
export function shown<T extends object>(shape: ZodType<T>, value: unknown) {
  return dataReply(SERVICE, pick(SERVICE, shape, value));
}

/** The output of a tool that gives one page of a list. */
export function pageOf<T extends ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    next_page: z.number().nullable().describe('The page to ask for next; null after the last one'),
  });
}

/** A page of a list as a result. The text has the list itself, as GitHub gives it. */
export function shownPage<T>(shape: ZodType<T>, { data, hasNext }: GithubAnswer<readonly unknown[]>, page = 1) {
  const items = data.map((item) => pick(SERVICE, shape, item));
  const { next_page, notes } = nextPage(hasNext, page);
  return dataReply(SERVICE, { items, next_page }, { shown: items, notes });
}

/** The output of a search. */
export function foundOf<T extends ZodType>(item: T) {
  return pageOf(item).extend({ total_count: z.number(), incomplete_results: z.boolean() });
}

interface Found {
  readonly total_count: number;
  readonly incomplete_results: boolean;
  readonly items: readonly unknown[];
}

/** A page of a search as a result. */
export function shownFound<T>(shape: ZodType<T>, { data, hasNext }: GithubAnswer<Found>, page = 1) {
  const items = data.items.map((item) => pick(SERVICE, shape, item));
  const { total_count, incomplete_results } = data;
  const found = { total_count, incomplete_results, items };
  const { next_page, notes } = nextPage(hasNext, page);
  return dataReply(SERVICE, { ...found, next_page }, { shown: found, notes });
}

/** How many items a tool without a `page` argument collects. */
const MAX_ITEMS = 1_000;

/** The output of a tool that gives a whole list. */
export function wholeOf<T extends ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    is_complete: z.boolean().describe(`False if there are more, as with more than ${MAX_ITEMS}`),
  });
}

/** All pages of a list as a result. `what`: the items, for the progress. */
export async function shownWhole<T>(
  shape: ZodType<T>,
  keyOf: (item: T) => unknown,
  {
    read,
    report,
    what,
  }: {
    readonly read: (page: number) => Promise<GithubAnswer<readonly unknown[]>>;
    readonly report: Github['report'];
    readonly what: string;
  },
) {
  const { items, isCut } = await collectPages({
    read: async (page) => {
      const { data, hasNext } = await read(page);
      return { items: data.map((item) => pick(SERVICE, shape, item)), hasNext };
    },
    keyOf,
    maxItems: MAX_ITEMS,
    onPage: (count) => report(`${count} ${what} so far`),
  });
  const notes = isCut ? [`Only the first ${items.length} are here.`] : [];
  return dataReply(SERVICE, { items, is_complete: !isCut }, { shown: items, notes });
}
