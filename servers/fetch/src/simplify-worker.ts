import { parentPort, workerData } from 'node:worker_threads';
import { markdownOf } from './markdown.ts';
import type { WorkerMessage } from './simplify.ts';

const { html, base } = workerData as { readonly html: string; readonly base: string };
function tell(message: WorkerMessage): void {
  // A thread has no origin: that is for windows.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(message);
}

tell({ kind: 'loaded' });
tell({ kind: 'done', text: markdownOf(html, new URL(base)) });
