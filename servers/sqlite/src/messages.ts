// The messages between the server and the processes that run its statements.
import type { Parameter, Value } from './values.ts';

/** The maximum size of a result. */
export interface ResultLimits {
  readonly maxRows: number;
  /** In bytes of JSON. */
  readonly maxBytes: number;
}

interface TaskBase {
  /** The absolute path of the database. */
  readonly file: string;
  /** After how many milliseconds the process ends itself, in case that the server is gone and cannot end it. */
  readonly maxMs: number;
}

export interface ReadTask extends TaskBase {
  readonly kind: 'read';
  readonly sql: string;
  readonly params: readonly Parameter[];
  readonly isExplained: boolean;
  readonly limits: ResultLimits;
}

export interface WriteTask extends TaskBase {
  readonly kind: 'write';
  readonly sql: string;
  readonly params: readonly Parameter[];
}

/** A task for a process. After a `write`, the process keeps the transaction open until the `commit`. */
export type Task =
  | ReadTask
  | WriteTask
  | (TaskBase & { readonly kind: 'commit' })
  | (TaskBase & { readonly kind: 'recover' });

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  /** Why not all rows are here; undefined if they are. */
  readonly cut?: 'rows' | 'bytes' | undefined;
}

/** Why a statement failed. */
export interface Failure {
  readonly message: string;
  /** The result code of SQLite, if it comes from there. */
  readonly code?: number | undefined;
}

export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'rows'; readonly result: Rows }
  | { readonly kind: 'written'; readonly changes: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure };
