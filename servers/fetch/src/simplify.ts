import { Worker } from 'node:worker_threads';

/** How long it may take to find the main part of a page. */
const MOST_MS = 8_000;
const MOST_MEMORY_MB = 512;

const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './simplify-worker.ts' : './simplify-worker.js',
  import.meta.url,
);

/**
 * The main part of a page as Markdown; undefined when there is nothing to read, or it takes too long. A page can be made so that it does:
 * that holds up nobody but whoever asked for it.
 */
export const simplify = (html: string, base: URL, signal: AbortSignal): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, {
      workerData: { html, base: base.href },
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
      stdout: true,
      stderr: true,
    });
    const finish = (text: string | undefined): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      void worker.terminate();
      if (signal.aborted) reject(signal.reason as Error);
      else resolve(text);
    };
    const onAbort = (): void => finish(undefined);
    const timer = setTimeout(() => finish(undefined), MOST_MS);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.once('message', (text: string | null) => finish(text ?? undefined));
    worker.once('error', () => finish(undefined));
    worker.once('exit', () => finish(undefined));
  });
