import type { Request } from './message.ts';
import { type Check, checkerOf } from './schema-check.ts';
import { isObject } from '@tenon/values/is-object';
import { type Json, listOf, textOf, written } from './words.ts';

/** A tool, as its server last listed it. */
export interface ListedTool {
  readonly name: string;
  /** The line of the list. */
  readonly n: number;
  readonly entry: Json;
  /** Validates arguments. Undefined if there is no usable schema. */
  readonly input: Check | undefined;
  /** Validates structured content. Undefined as well without a usable schema. */
  readonly output: Check | undefined;
}

/** The tools of a server, by name. */
export interface ListedTools {
  get(name: string): ListedTool | undefined;
  /** All pages were seen, and nothing has changed since: a tool that is not here is not offered. */
  readonly complete: boolean;
  /** The line of the last page. */
  readonly n: number;
  answered(request: Request, result: Json, n: number): void;
  /** The server reports that the list has changed. */
  changed(): void;
}

const MAX_TOOLS = 10_000;
const MAX_LISTINGS = 100;

export function createListedTools(): ListedTools {
  let tools = new Map<string, ListedTool>();
  /** Lists whose next page has yet to come, by the cursor of that page. */
  const listings = new Map<unknown, Map<string, ListedTool>>();
  let complete = false;
  let last = 0;

  /** Of several tools with one name the first counts, as for most clients. */
  const learn = (listing: Map<string, ListedTool>, entry: unknown, n: number): void => {
    const name = isObject(entry) ? textOf(entry['name']) : undefined;
    if (name === undefined || tools.size >= MAX_TOOLS || listing.has(name)) return;
    const tool = lazyTool(name, entry as Json, n, tools.get(name));
    listing.set(name, tool);
    // Immediately, because a call may come before the last page.
    tools.set(name, tool);
  };

  return {
    get: (name) => tools.get(name),
    get complete() {
      return complete;
    },
    get n() {
      return last;
    },
    answered({ method, params }, result, n) {
      if (method !== 'tools/list') return;
      const { cursor } = params;
      const listing = cursor === undefined ? new Map<string, ListedTool>() : listings.get(cursor);
      listings.delete(cursor);
      const names = listing ?? new Map<string, ListedTool>();
      for (const entry of listOf(result['tools'])) learn(names, entry, n);
      last = n;
      const next = result['nextCursor'];
      if (listing === undefined) return;
      if (next === undefined) {
        complete = tools.size < MAX_TOOLS;
        tools = listing;
      } else if (listings.size < MAX_LISTINGS) listings.set(next, listing);
    },
    changed() {
      complete = false;
      listings.clear();
    },
  };
}

/** A schema is compiled when it is first needed, and again only if it has changed. */
function lazyTool(name: string, entry: Json, n: number, before: Writable<ListedTool> | undefined): ListedTool {
  const text = written(entry);
  if (before !== undefined && text !== undefined && text === written(before.entry)) {
    before.n = n;
    return before;
  }
  const input = once(() => checkerOf(entry['inputSchema']));
  const output = once(() => checkerOf(entry['outputSchema']));
  return {
    name,
    n,
    entry,
    get input() {
      return input();
    },
    get output() {
      return output();
    },
  };
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
