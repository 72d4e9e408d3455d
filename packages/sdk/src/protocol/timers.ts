/** The longest delay that timers support, in milliseconds; they end at once for a longer one. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

/** Sets whether a timer keeps a Node process alive. No effect in other runtimes. */
export function holdProcess(timer: unknown, hold: boolean): void {
  const handle = timer as { ref?(): void; unref?(): void } | undefined;
  if (hold) handle?.ref?.();
  else handle?.unref?.();
}
