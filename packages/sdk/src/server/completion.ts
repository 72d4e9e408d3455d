import type { Completion } from '../protocol/results.ts';
import type { Context } from './context.ts';

type Awaitable<T> = T | Promise<T>;

/** The context of a completion: the arguments that the user has already filled in, by name. */
export interface CompletionContext extends Context {
  /** The values by argument or variable; empty for revisions before 2025-06-18. */
  readonly resolved: Readonly<Record<string, string>>;
}

/**
 * Suggests values. From a list, the values that start with the typed text are offered, regardless of case. A function filters its values
 * itself; it may return more than the 100 that a client can receive.
 */
export type Completer =
  | readonly string[]
  | ((typed: string, ctx: CompletionContext) => Awaitable<readonly string[] | Completion>);

const MAX_VALUES = 100;

/** Runs a completer. The result has at most 100 values, and the total. */
export async function suggest(
  completer: Completer | undefined,
  typed: string,
  ctx: CompletionContext,
): Promise<Completion> {
  if (completer === undefined) return { values: [] };
  const found = typeof completer === 'function' ? await completer(typed, ctx) : startingWith(completer, typed);
  if (Array.isArray(found)) return cut(found as readonly string[], {});
  const result = found as Completion | undefined;
  if (!Array.isArray(result?.values)) throw new TypeError('It returned neither a list nor an object with `values`');
  return cut(result.values, result);
}

function startingWith(values: readonly string[], typed: string): readonly string[] {
  const lower = typed.toLowerCase();
  return values.filter((value) => value.toLowerCase().startsWith(lower));
}

function cut(values: readonly string[], said: { total?: number; hasMore?: boolean }): Completion {
  const over = values.length > MAX_VALUES;
  return {
    values: values.slice(0, MAX_VALUES).map(String),
    total: said.total ?? values.length,
    hasMore: said.hasMore ?? over,
  };
}
