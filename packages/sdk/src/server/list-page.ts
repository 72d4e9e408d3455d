import { CODE, ProtocolError } from '../protocol/errors.ts';
import type { Engine } from './engine.ts';

/** Where a page ends: after the first of these names that still exists. They are the last names of the page, the last one first. */
interface Position {
  readonly after: readonly string[];
}

/** How many names from the end of a page a cursor contains: if none of them exists when it is used, the list starts again. */
const NAMES_IN_CURSOR = 4;

/** A page of a list: the entries from `start` to before `end`, and the cursor of the next page. */
export interface Page {
  readonly start: number;
  readonly end: number;
  readonly next: string | undefined;
}

/** The page that a cursor names; the first one without a cursor. Rejects with a `ProtocolError` for an invalid cursor. */
export async function pageOf(
  engine: Engine,
  names: readonly string[],
  cursor: unknown,
  context: string,
): Promise<Page> {
  const start = cursor === undefined ? 0 : startAfter(names, await positionOf(engine, cursor, context));
  const end = Math.min(start + engine.pageSize, names.length);
  const hasMore = end < names.length;
  const next = hasMore ? await engine.sealer.seal(positionAt(names, end), context, engine.limits.cacheMs) : undefined;
  return { start, end, next };
}

async function positionOf(engine: Engine, cursor: unknown, context: string): Promise<Position> {
  const position = await engine.sealer.open(cursor, context);
  if (position === undefined)
    throw new ProtocolError(CODE.invalidParams, 'The cursor is not valid, or has expired. Start the list again.');
  return position as Position;
}

function positionAt(names: readonly string[], end: number): Position {
  return {
    after: names.slice(Math.max(0, end - NAMES_IN_CURSOR), end).reverse(),
  };
}

/**
 * Entries may have been removed and added since the cursor was made. An entry that existed all the time is never left out; at worst it is
 * listed twice.
 */
function startAfter(names: readonly string[], { after }: Position): number {
  for (const name of after) {
    const now = names.indexOf(name);
    if (now !== -1) return now + 1;
  }
  return 0;
}
