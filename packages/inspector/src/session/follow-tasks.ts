import { setTimeout as delay } from 'node:timers/promises';
import type { Facts } from '../trace/facts.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import { valueTextAt } from '../values/json-text.ts';

/** Tasks of 2025-11-25 change with the time. What was asked about them, or told, says when it is worth while to ask for the list again. */
const ASKED: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel']);

/** An answer that only says that there is a task now is short; longer ones are results, and not looked into. */
const MAX_CREATION_LENGTH = 16_384;

/** A server may tell of its tasks a thousand times a second. */
const PAUSE_MS = 300;

function isAboutTasks({ from, message, method, size }: Facts, text: string): boolean {
  if (from !== 'server' || method === undefined) return false;
  if (message === 'notification') return method === 'notifications/tasks/status';
  if (message !== 'response') return false;
  if (ASKED.has(method)) return true;
  return (
    method === 'tools/call' && size <= MAX_CREATION_LENGTH && valueTextAt(text, '/result/task/taskId') !== undefined
  );
}

/** Calls `refresh` whenever tasks of a session may have changed, one call at a time, until the signal. */
export function followTasks(
  store: TraceStore,
  session: string,
  refresh: () => Promise<unknown>,
  signal: AbortSignal,
): void {
  let due = false;
  let running = false;
  const run = async (): Promise<void> => {
    running = true;
    while (due && !signal.aborted) {
      due = false;
      // A list that cannot be read says so itself.
      await refresh().catch(() => {});
      await delay(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
    }
    running = false;
  };
  const stop = store.watch((line, facts) => {
    if (facts.session !== session || !isAboutTasks(facts, line.text)) return;
    due = true;
    if (!running) void run();
  });
  signal.addEventListener('abort', stop, { once: true });
}
