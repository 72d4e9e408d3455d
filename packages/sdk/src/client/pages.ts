import type { JsonObject } from '../protocol/jsonrpc.ts';

/** One page of a list. */
export interface Page {
  readonly result: JsonObject;
  /** Did it come from the cache? */
  readonly cached: boolean;
  /** The connection that it came over. */
  readonly connection: object;
}

/** Source of the pages of a list. */
export interface Pages {
  /** Throws a `StaleCursor` if the connection is no longer the `expected` one. */
  fetch(params: JsonObject | undefined, fresh: boolean, expected: object | undefined): Promise<Page>;
  /** Forgets cached pages: one of their cursors is no longer valid. */
  forget(): void;
}

/** A cursor is valid only in the session that gave it. */
export class StaleCursor extends Error {
  override readonly name = 'StaleCursor';
}
