import { parentPort, workerData } from 'node:worker_threads';
import { markdownOf } from './markdown.ts';

const { html, base } = workerData as { readonly html: string; readonly base: string };
// Worker threads have no origin; the rule is about browser windows.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(markdownOf(html, new URL(base)) ?? null);
