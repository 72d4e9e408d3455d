const FIRST_MS = 1_000;
const MAX_MS = 60_000;

/**
 * The delay in milliseconds after a number of consecutive failures: 1, 2, 4 … 60 seconds, minus a random part of up to a quarter, so that
 * clients do not all reconnect at the same time.
 */
export function backOff(failures: number, random: () => number = Math.random): number {
  return failures <= 0 ? 0 : Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30)) * (1 - random() / 4);
}

/** The longest delay that a peer can ask for, in milliseconds. */
const MAX_ASKED_MS = 5 * 60_000;

/** A delay that a peer asks for, in milliseconds: from 0 to 5 minutes. */
export function askedDelay(ms: number | undefined): number {
  return ms !== undefined && ms > 0 ? Math.min(ms, MAX_ASKED_MS) : 0;
}
