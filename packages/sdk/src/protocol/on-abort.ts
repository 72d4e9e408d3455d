/** The callbacks that wait for each signal, in no particular order. */
const WAITING = new WeakMap<EventTarget, (() => void)[]>();

/** One after the other: a callback may cancel others. */
function runAll({ target }: Event): void {
  target!.removeEventListener('abort', runAll);
  const waiting = WAITING.get(target!)!;
  for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) run();
}

function cancelNothing(): void {}

/**
 * Calls `run` when the signal aborts, or at once if it has. `run` must not throw. Returns a function that cancels this.
 *
 * All that wait for a signal at the same time share one listener: `EventTarget` of Node links its listeners, and removed ones keep each other
 * alive until the next full garbage collection. At a signal that lives as long as a program, requests would cost up to twice as much.
 */
export function onAbort(signal: AbortSignal | undefined, run: () => void): () => void {
  if (signal?.aborted !== false) {
    if (signal !== undefined) run();
    return cancelNothing;
  }
  const waiting = WAITING.get(signal) ?? [];
  if (waiting.push(run) === 1) {
    WAITING.set(signal, waiting);
    signal.addEventListener('abort', runAll);
  }
  return () => {
    const place = waiting.indexOf(run);
    if (place === -1) return;
    const last = waiting.pop()!;
    if (last !== run) waiting[place] = last;
    // Node keeps signals of `AbortSignal.any` alive while they have listeners.
    else if (place === 0) signal.removeEventListener('abort', runAll);
  };
}
