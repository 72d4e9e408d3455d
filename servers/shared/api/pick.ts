import type { ZodType } from 'zod';
import { ApiError } from './api-error.ts';

/** The fields of an answer that a schema has. Throws an `ApiError` that says where the answer is different. */
export function pick<T>(service: string, schema: ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw new ApiError(`${service} answered something unexpected: ${issue?.path.join('.')}: ${issue?.message}`);
}
