import type { Calls, Inbound } from './correlate.ts';

/** Puts `inbound` in charge of a connection, beginning with what arrived too early for it. */
export const takeCharge = (calls: Calls, inbound: Inbound): void => {
  const before = calls.inbound;
  calls.inbound = inbound;
  before.handOver?.(inbound);
};
