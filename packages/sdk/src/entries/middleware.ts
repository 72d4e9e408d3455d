/** Middleware that is ready to use, on servers and clients. */
export { audit } from '../middleware/audit.ts';
export type { AuditEntry } from '../middleware/audit.ts';
export { concurrencyLimit } from '../middleware/concurrency-limit.ts';
export type { ConcurrencyLimitOptions } from '../middleware/concurrency-limit.ts';
export { logging } from '../middleware/logging.ts';
export type { CallLogEntry, LoggedCall } from '../middleware/logging.ts';
export type { Outcome } from '../middleware/outcome.ts';
export { rateLimit } from '../middleware/rate-limit.ts';
export type { RateLimitOptions, SharedRateLimit, StoreRateLimit } from '../middleware/rate-limit.ts';
export { responseLimit } from '../middleware/response-limit.ts';
export { timeLimit } from '../middleware/time-limit.ts';
export type { Call, CallAnswer, CallMiddleware } from '../protocol/middleware.ts';
