/** Serving over HTTP in any runtime. */
export { serveFetch } from '../transport/http/serve-fetch.ts';
export type { FetchHandler } from '../transport/http/serve-fetch.ts';
export { nodeHandler } from '../transport/http/node/node-handler.ts';
export type { NodeHandler } from '../transport/http/node/node-handler.ts';
export type { HttpOptions } from '../transport/http/options.ts';
/** For programs between clients and servers: event streams, and the headers by which a client repeats a message. */
export { createSseParser } from '../wire/sse-parser.ts';
export type { SseEvent, SseParser } from '../wire/sse-parser.ts';
export { standardHeaders } from '../wire/headers.ts';
export { mirroredParams, paramHeaders } from '../wire/param-headers.ts';
export type { MirroredParam } from '../wire/param-headers.ts';
export { anonymous } from '../protocol/auth.ts';
export type { AuthRequest, Authenticate, Denial } from '../protocol/auth.ts';
export type { Bus } from '../store/bus.ts';
export type { LogPart, Store } from '../store/store.ts';
export { memoryBus } from '../store/memory-bus.ts';
export { memoryStore } from '../store/memory.ts';
export type { MemoryStoreOptions } from '../store/memory.ts';
