import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'tenon/client';
import type { Facts } from '../trace/facts.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import { valueTextAt } from '../values/json-text.ts';

/** How long to wait for a subscription to changes before going on without it. */
const WATCH_MS = 1_000;

/** The shortest interval between two reads of a list that changes, in milliseconds. */
const CHANGES_MS = 500;

/**
 * Calls `refresh`, and calls it again whenever the server reports a changed list, until the signal aborts. Resolves once that is
 * under way.
 */
export async function followLists(client: Client, refresh: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  const ready: Promise<void>[] = [];
  const watches: ReturnType<Client['watch']>[] = [];
  for (const list of ['tools', 'resources', 'prompts'] as const) {
    if (client.capabilities[list]?.listChanged !== true) continue;
    const watch = client.watch({ list }, { signal });
    watches.push(watch);
    // If a server rejects the subscription, the trace shows it, and nothing else is affected.
    ready.push(watch.ready.catch(() => {}));
  }
  // Subscribed before the first read, so that a change during the read is not missed.
  const first = refresh();
  for (const watch of watches)
    void (async () => {
      for await (const _change of watch) {
        await first;
        await refresh();
        // A server may report a change each time it is asked for the list.
        await delay(CHANGES_MS, undefined, { signal, ref: false });
      }
    })().catch(() => {});
  await first;
  await Promise.race([Promise.all(ready), delay(WATCH_MS, undefined, { ref: false })]);
}

/**
 * Tasks of 2025-11-25 change over time. Answers to these requests, and notifications, say when the list is worth reading again.
 */
const ASKED: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel']);

/** An answer that creates a task is short. Longer answers are results, and are not parsed. */
const MAX_CREATION_LENGTH = 16_384;

/** The number of tasks whose last status is remembered. */
const MAX_TASKS = 1_000;

/** A server may report on its tasks a thousand times a second, so the list is read at most this often. */
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

/** Polling repeats the same answer many times: the function returns whether an answer contains something new. */
function newsOfTasks(): (facts: Facts, text: string) => boolean {
  const last = new Map<string, string>();
  return ({ method, subject = '', size }, text) => {
    if (method !== 'tasks/get' || size > MAX_CREATION_LENGTH) return true;
    const state = `${valueTextAt(text, '/result/status')} ${valueTextAt(text, '/result/statusMessage')}`;
    if (last.get(subject) === state) return false;
    if (last.size < MAX_TASKS) last.set(subject, state);
    return true;
  };
}

/** Calls `refresh` whenever tasks of a session may have changed, one call at a time, until the signal aborts. */
export function followTasks(
  store: TraceStore,
  session: string,
  refresh: () => Promise<unknown>,
  signal: AbortSignal,
): void {
  const isNews = newsOfTasks();
  let due = false;
  let running = false;
  const run = async (): Promise<void> => {
    running = true;
    while (due && !signal.aborted) {
      due = false;
      // A list that cannot be read reports that itself.
      await refresh().catch(() => {});
      await delay(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
    }
    running = false;
  };
  const stop = store.watch((line, facts) => {
    if (facts.session !== session || !isAboutTasks(facts, line.text) || !isNews(facts, line.text)) return;
    due = true;
    if (!running) void run();
  });
  signal.addEventListener('abort', stop, { once: true });
}
