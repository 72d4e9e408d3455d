import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { InferInput, InferOutput } from './schema.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Fails to compile unless the two types are the same. */
function same<A, B>(yes: Same<A, B>): void {
  assert.ok(yes);
}

test('types of a Standard Schema', () => {
  const schema = z.object({ a: z.string(), b: z.number().default(1) });
  same<InferInput<typeof schema>, { a: string; b?: number | undefined }>(true);
  same<InferOutput<typeof schema>, { a: string; b: number }>(true);
  void schema;
});

test('types of plain JSON Schema written as a constant', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer', default: 3 },
      kind: { enum: ['a', 'b'] },
      tags: { type: 'array', items: { type: ['string', 'null'] } },
      at: { type: 'object', properties: { x: { const: 1 } }, required: ['x'] },
      any: {},
    },
    required: ['city', 'tags'],
  } as const;
  type Input = InferInput<typeof schema>;
  same<Pick<Input, 'city' | 'tags'>, { city: string; tags: (string | null)[] }>(true);
  same<Omit<Input, 'city' | 'tags'>, { days?: number; kind?: 'a' | 'b'; at?: { x: 1 }; any?: unknown }>(true);
  same<InferOutput<typeof schema>['days'], number>(true);
  same<InferInput<typeof schema>['days'], number | undefined>(true);
  void schema;
});

test('types of plain JSON Schema that is not a constant are not guessed', () => {
  same<InferOutput<{ readonly [keyword: string]: unknown }>, unknown>(true);
  same<InferOutput<{ type: string }>, unknown>(true);
  same<InferOutput<{ type: 'object' }>, Record<string, unknown>>(true);
});
