import { parentPort, workerData } from 'node:worker_threads';
import { markdownOf } from './markdown.ts';
import type { WorkerMessage } from './simplify.ts';

const { html, base } = workerData as { readonly html: string; readonly base: string };
function send(message: WorkerMessage): void {
  // Worker threads have no origin; the rule is about browser windows.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(message);
}

send({ kind: 'loaded' });
send({ kind: 'done', text: markdownOf(html, new URL(base)) });
