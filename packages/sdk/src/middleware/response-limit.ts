import type { CallMiddleware } from '../protocol/middleware.ts';
import { checkPositive, refusal } from './refusal.ts';

/**
 * Refuses results of more than `characters` characters of JSON, and tells the model to ask for less. The handler has already run, so its
 * effects remain.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { responseLimit } from 'tenon/middleware';
 *
 * const app = server({ name: 'notes' });
 * app.use({ 'tools/call': responseLimit(100_000) });
 * ```
 */
export function responseLimit(characters: number): CallMiddleware {
  checkPositive('A response limit', characters);
  return async (call, next) => {
    const answer = await next();
    const { size } = answer;
    if (answer.kind !== 'result' || size <= characters) return answer;
    throw refusal(call, `The result has ${size} characters, more than the ${characters} allowed. Ask for less of it.`);
  };
}
