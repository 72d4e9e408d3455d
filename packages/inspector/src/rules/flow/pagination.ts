import { PEER_FIX } from '@tenon/values/peer-fix';
import { resultOf } from '../message.ts';
import { createRecent } from '../recent.ts';
import { isLegacy } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { listOf, objectOf, quoted, shown } from '../words.ts';

/** Paged lists: the member with the list, and the member that identifies an entry. */
const LISTS: ReadonlyMap<string, readonly [member: string, name: string]> = new Map([
  ['tools/list', ['tools', 'name']],
  ['prompts/list', ['prompts', 'name']],
  ['resources/list', ['resources', 'uri']],
  ['resources/templates/list', ['resourceTemplates', 'uriTemplate']],
]);

/** A list that is read page by page. */
interface Listing {
  readonly cursors: Set<string>;
  readonly names: Set<string>;
  doubled: boolean;
  looped: boolean;
}

const MAX_LISTINGS = 100;
const MAX_NAMES = 10_000;
const MAX_CURSORS = 10_000;

function newListing(): Listing {
  return { cursors: new Set(), names: new Set(), doubled: false, looped: false };
}

/** Assigns pages to lists, by their cursors. */
function createListings() {
  const open = createRecent<Listing>(MAX_LISTINGS);
  const keyOf = (method: string, cursor: unknown): string => `${method}\n${String(cursor)}`;
  return {
    clear: (): void => open.clear(),
    /** The list that a page continues; a new one for a first page. Undefined: its beginning is not in the trace. */
    of: (method: string, cursor: unknown): Listing | undefined =>
      cursor === undefined ? newListing() : open.get(keyOf(method, cursor)),
    goesOn: (method: string, cursor: string, listing: Listing): void => open.set(keyOf(method, cursor), listing),
  };
}

export const cursorLoop: Rule = {
  id: 'cursor-loop',
  title: 'A list has no end: its next cursor is one that was already used',
  blame: ['server'],
  severity: ['error'],
  why: 'The server makes the cursors. A client that follows them never ends.',
  page: 'pagination#implementation-guidelines',
  watch: (report) => {
    const listings = createListings();
    return {
      anew: listings.clear,
      response(response) {
        const { request, n } = response;
        const next = resultOf(response)?.['nextCursor'];
        if (request?.from !== 'client' || !LISTS.has(request.method) || typeof next !== 'string') return;
        const { cursor } = request.params;
        const listing = listings.of(request.method, cursor) ?? newListing();
        if (typeof cursor === 'string') listing.cursors.add(cursor);
        const again = listing.cursors.has(next);
        if (listing.cursors.size < MAX_CURSORS) listing.cursors.add(next);
        listings.goesOn(request.method, next, listing);
        if (!again || listing.looped) return;
        listing.looped = true;
        report({
          severity: 'error',
          blame: 'server',
          message: `The server answered ${request.method} with the cursor ${quoted(next, 60)} again`,
          fix: PEER_FIX.endlessList,
          evidence: [request.n, n],
        });
      },
    };
  },
};

export const listDuplicate: Rule = {
  id: 'list-duplicate',
  title: 'A list has two entries with the same name',
  blame: ['server'],
  severity: ['warning'],
  why: 'The server wrote the list: clients cannot tell two entries with one name apart.',
  page: 'pagination#implementation-guidelines',
  watch: (report) => {
    const listings = createListings();
    return {
      anew: listings.clear,
      response(response) {
        const { request, n } = response;
        const result = resultOf(response);
        const list = request?.from === 'client' ? LISTS.get(request.method) : undefined;
        if (list === undefined || result === undefined) return;
        const listing = listings.of(request!.method, request!.params['cursor']) ?? newListing();
        const next = result['nextCursor'];
        if (typeof next === 'string') listings.goesOn(request!.method, next, listing);
        for (const entry of listOf(result[list[0]])) {
          const name = objectOf(entry)[list[1]];
          if (typeof name !== 'string' || listing.doubled) continue;
          if (!listing.names.has(name)) {
            if (listing.names.size < MAX_NAMES) listing.names.add(name);
            continue;
          }
          listing.doubled = true;
          report({
            severity: 'warning',
            blame: 'server',
            message: `The server lists ${shown(name)} twice in ${request!.method}`,
            fix: 'Name each entry once. If the list changes while it is paged, use a cursor that says where it continues.',
            evidence: [request!.n, n],
          });
        }
      },
    };
  },
};

export const cursorUnknown: Rule = {
  id: 'cursor-unknown',
  title: 'The client sent a cursor that it was not given',
  blame: ['client'],
  severity: ['error'],
  why: 'Cursors are the server’s own: a client neither makes nor changes them, and up to 2025-11-25 keeps none across sessions.',
  page: 'pagination#implementation-guidelines',
  watch: (report, session) => {
    const given = new Set<unknown>();
    let forgetful = false;
    return {
      anew: () => given.clear(),
      response(response) {
        const next = resultOf(response)?.['nextCursor'];
        if (next === undefined) return;
        if (given.size < MAX_CURSORS) given.add(next);
        else forgetful = true;
      },
      request({ from, method, params, n, revision }) {
        const { cursor } = params;
        if (from === 'server' || cursor === undefined || !LISTS.has(method) || !isLegacy(revision)) return;
        if (forgetful || given.has(cursor) || session.handshake === 'none') return;
        report({
          severity: 'error',
          blame: 'client',
          message: `The client sent ${method} with the cursor ${quoted(cursor, 60)}, which the server did not give in this session`,
          fix: 'Begin without a cursor, and send nextCursor back as it came.',
          evidence: [n],
        });
      },
    };
  },
};
