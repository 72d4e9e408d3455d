// The common part of the servers of `random-cuts.test.ts`: tools that record each execution in a file, which outlives a killed process.

import { appendFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';

/** The tools: one that may run twice, and three that may not, of which one reports progress and one asks the model of the client. */
export type Kind = 'read' | 'act' | 'steps' | 'ask';

/** One call. */
export interface Call {
  readonly kind: Kind;
  /** Unique for each call. */
  readonly key: string;
  /** The duration of each step of the tool, in milliseconds. */
  readonly restMs: number;
  /** The number of additional characters in the answer. */
  readonly size: number;
}

/** How a call ended. */
export type Outcome =
  | { readonly key: string; readonly text: string }
  | {
      readonly key: string;
      readonly error: {
        readonly name: string;
        readonly message: string;
        readonly code: unknown;
        readonly processed: unknown;
      };
    };

export const input = z.object({ key: z.string(), restMs: z.number(), size: z.number() });
export const STEPS = 3;

/** Records an execution of the tool. */
export function execute({ key }: Pick<Call, 'key'>): void {
  appendFileSync(process.env['EXECUTIONS']!, `${key}\n`);
}

/** The text of the only right answer to a call. */
export function answerTo({ key, size }: Pick<Call, 'key' | 'size'>): string {
  return `${key} ${'x'.repeat(size)}`;
}

/** The question of a call. The model repeats it. */
export function questionOf({ key }: Pick<Call, 'key'>) {
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: key } }], maxTokens: 10 };
}

/** The model of every client. */
export function repeat(params: { readonly messages: readonly unknown[] }) {
  const { content } = params.messages[0] as { content: { type: 'text'; text: string } };
  return { role: 'assistant' as const, model: 'parrot', content };
}

/** An error as it is reported. */
export function describeError(error: unknown) {
  const { name, message, code, processed } = error as Error & { code?: unknown; processed?: unknown };
  return { name, message, code, processed };
}

export { rest };
