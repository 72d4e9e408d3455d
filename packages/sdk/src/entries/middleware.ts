/** Middleware that is ready to use, on servers and clients. */
export { logging } from '../middleware/logging.ts';
export type { LoggedCall } from '../middleware/logging.ts';
export type { Outcome } from '../middleware/outcome.ts';
