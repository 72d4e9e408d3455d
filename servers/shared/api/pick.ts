import type { ZodType } from 'zod';
import { ApiError, MAY_BE_CHANGED } from './api-error.ts';

/** Answers to requests that change something, and what was picked of them. */
const afterChanges = new WeakSet<object>();

/** Remembers that a value is the answer to a request that changes something: if it is unexpected, the change was made nevertheless. */
export function markAfterChange(value: unknown): void {
  if (typeof value === 'object' && value !== null) afterChanges.add(value);
}

/** Whether a value is the answer to a request that changes something, or was picked of one. */
export function isAfterChange(value: unknown): boolean {
  return typeof value === 'object' && value !== null && afterChanges.has(value);
}

/** The fields of an answer that a schema has. Throws an `ApiError` that says where the answer is different. */
export function pick<T>(service: string, schema: ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) {
    if (isAfterChange(value)) markAfterChange(data);
    return data;
  }
  const [issue] = error.issues;
  const what = `${service} answered something unexpected: ${issue?.path.join('.')}: ${issue?.message}`;
  throw new ApiError(isAfterChange(value) ? `${what}. ${MAY_BE_CHANGED}` : what);
}
