import { parentPort, workerData } from 'node:worker_threads';
import { markdownOf } from './markdown.ts';

const { html, base } = workerData as { readonly html: string; readonly base: string };
parentPort?.postMessage(markdownOf(html, new URL(base)) ?? null);
