/** Serving over HTTP in any runtime. */
export { serveFetch } from '../transport/http/serve-fetch.ts';
export type { FetchHandler } from '../transport/http/serve-fetch.ts';
export { nodeHandler } from '../transport/http/node/node-handler.ts';
export type { NodeHandler } from '../transport/http/node/node-handler.ts';
export type { HttpOptions } from '../transport/http/options.ts';
export { anonymous } from '../protocol/auth.ts';
export type { AuthRequest, Authenticate, Denial } from '../protocol/auth.ts';
export type { Bus } from '../store/bus.ts';
export type { LogPart, Store } from '../store/store.ts';
export { memoryBus } from '../store/memory-bus.ts';
export { memoryStore } from '../store/memory.ts';
export type { MemoryStoreOptions } from '../store/memory.ts';
