import { parentPort, workerData } from 'node:worker_threads';
import { markdownOf } from './markdown.ts';

const { html, base } = workerData as { readonly html: string; readonly base: string };
// A thread has no origin: that is for windows.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(markdownOf(html, new URL(base)) ?? null);
