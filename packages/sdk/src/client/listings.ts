import { CODE, PeerError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { LIST_KEY, type ListMethod, type Lists } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import { type Page, type Pages, StaleCursor } from './pages.ts';
import type { OutputChecker } from './output-checker.ts';
import { firstOfName } from './first-of-name.ts';
import type { Report } from './report.ts';
import type { ServerConnection } from './server-connection.ts';
import type { ToolEntry } from '../protocol/entities.ts';
import type { Agreement, FetchOptions, Listing } from './types.ts';

/** The member that identifies an entry of a list. */
const IDENTITY: { readonly [M in ListMethod]: keyof Lists[M]['entry'] & string } = {
  'tools/list': 'name',
  'resources/list': 'uri',
  'resources/templates/list': 'uriTemplate',
  'prompts/list': 'name',
};

/**
 * The entries of a list, page by page. Cursors are opaque: only a missing one ends the list, an empty one does not.
 * Throws a `PeerError` for a repeated cursor and after `maxPages` pages. See "Pagination" of the specification.
 */
async function* walk<M extends ListMethod>(
  method: M,
  pages: Pages,
  maxPages: number,
  fresh: boolean,
): AsyncGenerator<Lists[M]['entry'], void, undefined> {
  let cursors = new Set<string>();
  let previous: Page | undefined;
  let skipCache = fresh;
  // Entries that were yielded before the walk had to start over.
  let yielded = new Set<unknown>();
  const seen = new Set<unknown>();
  for (let count = 1; ; count++) {
    if (count > maxPages) throw new PeerError('endless-list', `${method} has more than ${maxPages} pages`);
    const cursor = previous?.result['nextCursor'];
    let page: Page;
    try {
      page = await pages.fetch(cursor === undefined ? undefined : { cursor }, skipCache, previous?.connection);
    } catch (error) {
      if (!isOutdated(error, previous)) throw error;
      pages.forget();
      [previous, skipCache, cursors, yielded] = [undefined, true, new Set(), new Set(seen)];
      continue;
    }
    for (const entry of page.result[LIST_KEY[method]] as Lists[M]['entry'][]) {
      const identity = (entry as unknown as JsonObject)[IDENTITY[method]];
      if (yielded.has(identity)) continue;
      seen.add(identity);
      yield entry;
    }
    const next = page.result['nextCursor'];
    if (typeof next !== 'string') return;
    if (cursors.has(next)) {
      throw new PeerError('endless-list', `${method} repeats the cursor '${shown(next, 60)}': its pages form a loop`);
    }
    cursors.add(next);
    previous = page;
  }
}

/** Was the cursor from an earlier session, or from a cached page that the server no longer knows? */
function isOutdated(error: unknown, previous: Page | undefined): boolean {
  return (
    error instanceof StaleCursor ||
    (previous?.cached === true && error instanceof ProtocolError && error.code === CODE.invalidParams)
  );
}

/** The parts of a client that its lists need. */
export interface ListingsOptions {
  readonly maxPages: number;
  readonly report: Report;
  /** The tools whose annotations say that calling them again has no further effect: kept up to date. */
  readonly retryable: Set<string>;
  connection(options: FetchOptions): Promise<ServerConnection>;
  /** Does the server offer the feature of this method? */
  isOffered(agreement: Agreement, method: ListMethod): boolean;
  outputs(): Promise<OutputChecker>;
  /** Sends a request whose result may be cached. */
  fetch(method: ListMethod, params: JsonObject, options: FetchOptions): Promise<Page>;
  /** Forgets the cached pages of a list. */
  forget(method: ListMethod): void;
}

/** How many retryable tools are remembered. */
const MAX_RETRYABLE = 10_000;

/** The lists of a server, as callers receive them. Loaded with the first list. */
export class Listings {
  readonly #options: ListingsOptions;

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  open<M extends ListMethod>(method: M, options: FetchOptions): Listing<Lists[M]['entry']> {
    const { maxPages, forget } = this.#options;
    const pages = (): Pages => {
      let isFirst = firstOfName();
      return {
        fetch: (params, fresh, expected) => {
          if (params === undefined) isFirst = firstOfName();
          return this.#page(method, params, { ...options, fresh }, expected, isFirst);
        },
        forget: () => forget(method),
      };
    };
    const entries = (): AsyncGenerator<Lists[M]['entry'], void, undefined> =>
      walk(method, pages(), maxPages, options.fresh === true);
    return {
      [Symbol.asyncIterator]: entries,
      async all() {
        const found: Lists[M]['entry'][] = [];
        for await (const entry of entries()) found.push(entry);
        return found;
      },
    };
  }

  async #page(
    method: ListMethod,
    params: JsonObject | undefined,
    options: FetchOptions,
    expected: object | undefined,
    isFirst: (name: string) => boolean,
  ): Promise<Page> {
    const { connection: connect, isOffered, outputs, fetch } = this.#options;
    const connection = await connect(options);
    if (expected !== undefined && expected !== connection) throw new StaleCursor('The connection has changed');
    const empty: Page = { result: { [LIST_KEY[method]]: [] }, cached: false, connection };
    // A feature that the server does not offer has an empty list.
    if (!isOffered(connection.agreement, method)) return empty;
    const learn = method === 'tools/list' ? (await outputs()).beginListing() : undefined;
    const page = await fetch(method, params ?? {}, options).catch((error: unknown): Page => {
      if (params !== undefined || !meansNoTemplates(method, error)) throw error;
      return empty;
    });
    if (learn === undefined) return page;
    const tools = (page.result['tools'] as ToolEntry[]).filter((tool) => {
      if (!isFirst(tool.name)) return true;
      const isUsable = this.#learn(tool, connection);
      if (isUsable) learn(tool);
      return isUsable;
    });
    return { ...page, result: { ...page.result, tools } };
  }

  /** Remembers how to call a tool. Returns false for a tool that cannot be called. */
  #learn(tool: ToolEntry, { agreement, rpc }: ServerConnection): boolean {
    const { retryable, report } = this.#options;
    const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
    if (readOnlyHint === true || idempotentHint === true) retryable.add(tool.name);
    else retryable.delete(tool.name);
    if (retryable.size > MAX_RETRYABLE) retryable.clear();
    const problem = agreement.era === 'modern' ? rpc.perRequest?.learn(tool) : undefined;
    if (problem === undefined) return true;
    report('warn', 'bad-tool', `The tool '${shown(tool.name)}' is left out: ${problem}`);
    return false;
  }
}

/**
 * Does this error only mean that the server has no resource templates? They have no capability of their own, so a server that declares
 * `resources` need not implement their list ("Capabilities" of Resources).
 */
function meansNoTemplates(method: ListMethod, error: unknown): boolean {
  return method === 'resources/templates/list' && error instanceof ProtocolError && error.code === CODE.methodNotFound;
}
