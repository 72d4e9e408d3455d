/** Stores for state of servers that outlives their process, and buses between the nodes of a server. */
export { inspectStore, migrateStore, sweepStore } from './maintain-store.ts';
export { openBus, openBusFor, type StateAddresses } from './open-bus.ts';
export { openStore } from './open-store.ts';
export type { BusOptions, DurableStore, SharedBus, StoreOptions } from './options.ts';
export type { StoreMigration, StoreReport } from './engine.ts';
export { StoreError } from './store-error.ts';
export type { ErrorCode } from './error-codes.ts';
