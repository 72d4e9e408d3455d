import { isWellFormed } from '@tenon/values/utf8';
import { z } from 'zod';
import type { Parameter, Value } from './values.ts';

/** The values of results, as the schema of structured content. */
export const VALUE: z.ZodType<Value> = z.union([
  z.null(),
  z.number(),
  z.string(),
  z.object({ integer: z.string().describe('An integer beyond 2^53, in decimal') }),
  z.object({ real: z.enum(['Infinity', '-Infinity']) }),
  z.object({ blob: z.string().describe('Bytes in hexadecimal') }),
  z.object({
    invalidText: z
      .string()
      .describe('Text that is not valid in the encoding of the database: its bytes in hexadecimal'),
  }),
]);

const MAX_INTEGER = 2n ** 63n;

function isInRange(text: string): boolean {
  const value = BigInt(text);
  return value >= -MAX_INTEGER && value < MAX_INTEGER;
}

/** A value for a placeholder. Integers are bound as such: Node would bind every number as a real. */
const PARAMETER = z.union([
  z.null(),
  z.boolean().transform((value): Parameter => (value ? 1n : 0n)),
  z
    .number()
    .refine(
      (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
      'Write integers beyond 2^53 as { "integer": "…" }',
    )
    .transform((value): Parameter => (Number.isInteger(value) ? BigInt(value) : value)),
  z.string().refine(isWellFormed, 'The text has half of a character in it (a lone surrogate)'),
  z
    .object({
      integer: z
        .string()
        .regex(/^-?\d{1,19}$/)
        .refine(isInRange, 'SQLite stores integers of 64 bits')
        .describe('An integer beyond 2^53, in decimal'),
    })
    .transform(({ integer }): Parameter => BigInt(integer)),
  z
    .object({
      blob: z
        .string()
        .regex(/^(?:[\da-f]{2})*$/i)
        .describe('Bytes in hexadecimal'),
    })
    .transform(({ blob }): Parameter => Buffer.from(blob, 'hex')),
]);

export const PARAMETERS = z
  .array(PARAMETER)
  .max(1_000)
  .default([])
  .describe(
    'The values of the placeholders (?) in the query, in order. Use them for all values that come from elsewhere',
  );
