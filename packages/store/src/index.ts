/** Stores for state of servers that outlives their process. */
export { openStore } from './open-store.ts';
export type { DurableStore, StoreOptions } from './options.ts';
export { StoreError } from './store-error.ts';
export type { ErrorCode } from './error-codes.ts';
