import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { MessageText } from '../protocol/message-text.ts';
import type { RequestContext } from '../protocol/request-context.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { Limits } from '../protocol/limits.ts';
import type { Logger } from '../protocol/log.ts';
import type { Maybe } from '../protocol/maybe.ts';
import type { Revision, RevisionsByEra } from '../protocol/revision.ts';
import type { Store } from '../store/store.ts';
import type { CacheHint } from './cache-hint.ts';
import type { Catalog } from './catalog.ts';
import type { ChangeListener } from './changes.ts';
import type { Internals } from './define.ts';
import type { ListCache } from './list-cache.ts';
import type { Sealer } from '../store/sealer.ts';
import type { Viewer } from './visibility.ts';

/** Options of serving, which are not part of the server. */
export interface EngineOptions {
  /**
   * Keys that seal the state that clients carry for the server: the first one seals, all of them open. A list, or `keysInFile(…)` of
   * `tenon/node`, whose keys can change. Default: `serveHttp` and `serveStdio` read the file that `TENON_KEYS_FILE` names, if it is set; else
   * `TENON_KEYS` (separated by commas); else a random key.
   */
  readonly keys?: Iterable<string>;
  /**
   * The store for state that outlives a request: sessions, tasks, results of `once`. Default: `serveHttp` and `serveStdio` open the store
   * that `TENON_STORE` names, if it is set; else the memory of the process.
   */
  readonly store?: Store;
  /** Limits that differ from the defaults. A `TypeError` is thrown for an unknown name, and a value that is not positive and finite. */
  readonly limits?: Partial<Limits>;
  /** Receives messages for the operator of the server. Default: nothing is logged, except that `serveStdio` writes to stderr. */
  readonly log?: Logger;
  /** The revisions to support. Default: all. */
  readonly revisions?: readonly Revision[];
}

/** The result of a method, without the members that every result of its era has. */
export type RawResult =
  | { readonly result: JsonObject; readonly cache?: CacheHint }
  /** Members of the result object, encoded. */
  | { readonly text: MessageText; readonly cache?: CacheHint }
  | { readonly requests: JsonObject; readonly state: string }
  /** The call became a task (2026-07-28). */
  | { readonly task: JsonObject };

/** Answers requests of one method. */
export type Method = (engine: Engine, params: JsonObject, request: RequestContext, method: string) => Maybe<RawResult>;

/** A server that is ready to answer calls of any transport. Created once; nothing is built per request. */
export interface Engine {
  readonly of: Internals;
  readonly catalog: Catalog;
  readonly sealer: Sealer;
  /** Default: the store of the process. */
  readonly store: Store | undefined;
  readonly limits: Limits;
  readonly log: Logger;
  /** The supported revisions, newest first. */
  readonly revisions: readonly Revision[];
  readonly supported: RevisionsByEra;
  readonly pageSize: number;
  readonly lists: ListCache;
  viewer(caller: Pick<RequestContext, 'principal'>): Viewer;
  /** The current capabilities. */
  capabilities(): ServerCapabilities;
  /** Does the revision have this method, and does the server offer the capability it needs? */
  has(method: string, revision: Revision): boolean;
  /** Answers a request with the text of its result object: that of the method, or `own`. Throws or rejects with a `ProtocolError`. */
  answer(method: string, params: JsonObject, request: RequestContext, own?: () => Maybe<RawResult>): Maybe<MessageText>;
  /** The text of a result that does not come from a method. */
  finish(result: JsonObject, revision: Revision): MessageText;
  /** May this caller see this resource, and does it exist? */
  hasResource(uri: string, caller: Pick<RequestContext, 'principal'>): Maybe<boolean>;
  subscribe(listener: ChangeListener): () => void;
}
