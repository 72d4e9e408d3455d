import { Worker } from 'node:worker_threads';
import { ToolError } from 'tenon';
import { entryFile } from '../../shared/entry-file.ts';
import { createSlots } from '../../shared/api/slots.ts';

/** A message of the worker. Loading its modules takes longer than converting most pages, and does not depend on the page. */
export type WorkerMessage =
  | { readonly kind: 'loaded' }
  /** The main part of the page; undefined if there is no text. */
  | { readonly kind: 'done'; readonly text: string | undefined };

/** Timeout for extracting the main part of a page once the worker has loaded, in milliseconds. */
const TIMEOUT_MS = 8_000;
const MAX_MEMORY_MB = 512;
/** Maximum number of worker threads, for all clients together. */
const MAX_THREADS = 3;
/** Maximum number of pages that wait for a thread; each is held in memory meanwhile. */
const MAX_WAITING = 32;
/** How long a page waits for a thread, in milliseconds: longer than one slow page before it takes, so that a few of them delay nobody. */
const MAX_WAIT_MS = 10_000;

const WORKER = entryFile('simplify-worker', import.meta.url);

const slots = createSlots(
  MAX_THREADS,
  { maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS },
  () => new ToolError('Too many pages are being simplified: try again later, or ask for this one as raw'),
);

/** The worker's answer; undefined if it ends without one, or takes too long. */
function answerOf(worker: Worker, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const finish = (text?: string): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      void worker.terminate();
      if (signal.aborted) reject(signal.reason as Error);
      else resolve(text);
    };
    const onAbort = (): void => finish();
    let timer: NodeJS.Timeout | undefined;
    signal.addEventListener('abort', onAbort, { once: true });
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'loaded') timer = setTimeout(finish, TIMEOUT_MS);
      else finish(message.text);
    });
    worker.once('error', () => finish());
    worker.once('exit', () => finish());
  });
}

/**
 * The main part of a page as Markdown; undefined if there is no text, or if it takes too long. A malicious page can be slow to convert, so it
 * runs in a worker thread and delays only its own caller and those that wait for a thread. Throws a `ToolError` if too many wait.
 */
export async function simplify(html: string, base: URL, signal: AbortSignal): Promise<string | undefined> {
  const release = await slots(signal);
  let worker: Worker;
  try {
    signal.throwIfAborted();
    worker = new Worker(WORKER, {
      workerData: { html, base: base.href },
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
      stdout: true,
      stderr: true,
    });
  } catch (error) {
    release();
    throw error;
  }
  // A terminated thread still uses memory until it has exited.
  worker.once('exit', release);
  return answerOf(worker, signal);
}
