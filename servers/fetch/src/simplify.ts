import { Worker } from 'node:worker_threads';
import { ToolError } from 'tenon';
import { createSlots } from './slots.ts';

/** What the thread tells. Loading what it needs takes longer than most pages do, and has nothing to do with the page. */
export type WorkerMessage =
  | { readonly kind: 'loaded' }
  /** The main part of the page; undefined when there is nothing to read. */
  | { readonly kind: 'done'; readonly text: string | undefined };

/** How long it may take to find the main part of a page. */
const MOST_MS = 8_000;
const MOST_MEMORY_MB = 512;
/** Most threads at a time, whoever asks. */
const MOST_THREADS = 3;
/** Most pages that wait for a thread: each of them is held meanwhile. */
const MOST_WAITING = 32;

const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './simplify-worker.ts' : './simplify-worker.js',
  import.meta.url,
);

const slots = createSlots(
  MOST_THREADS,
  MOST_WAITING,
  () => new ToolError('Too many pages are being simplified: try again later, or ask for this one as raw'),
);

/** What a thread answers; undefined when it ends without an answer, or takes too long. */
const answerOf = (worker: Worker, signal: AbortSignal): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
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
      if (message.kind === 'loaded') timer = setTimeout(finish, MOST_MS);
      else finish(message.text);
    });
    worker.once('error', () => finish());
    worker.once('exit', () => finish());
  });

/**
 * The main part of a page as Markdown; undefined when there is nothing to read, or it takes too long. A page can be made so that it does:
 * that holds up nobody but whoever asked for it, and who waits for a thread. Throws a `ToolError` when too many wait.
 */
export const simplify = async (html: string, base: URL, signal: AbortSignal): Promise<string | undefined> => {
  const release = await slots(signal);
  let worker: Worker;
  try {
    signal.throwIfAborted();
    worker = new Worker(WORKER, {
      workerData: { html, base: base.href },
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
      stdout: true,
      stderr: true,
    });
  } catch (error) {
    release();
    throw error;
  }
  // A thread that was told to end is still there until it has.
  worker.once('exit', release);
  return answerOf(worker, signal);
};
