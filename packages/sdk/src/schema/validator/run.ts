import { OverBudget, spend } from '../budget.ts';
import { presentNames } from './equal.ts';
import type { Check, Run, SchemaNode, Seen } from './model.ts';

/**
 * The maximum depth of nested checks: several schemas for each of the 128 levels that a message may have. They need about 360 KB of stack,
 * less than half of what engines have.
 */
const MAX_DEPTH = 600;

/** Reports a problem of the current value, or of its member `key`. Always returns false. */
export function report(run: Run, message: string, got?: string, key?: string | number): false {
  if (run.collect) {
    run.issues.push({ path: key === undefined ? [...run.path] : [...run.path, key], message, got });
    if (run.issues.length >= run.maxIssues) run.collect = false;
  }
  return false;
}

/** Checks a member or an item of the current value. */
export function descend(node: SchemaNode, value: unknown, key: string | number, run: Run): boolean {
  if (!run.collect) return node.check(value, run);
  run.path.push(key);
  const passed = node.check(value, run);
  run.path.pop();
  return passed;
}

/** Wraps the check of a schema with subschemas, to limit the depth of nested checks. */
export function bounded(check: Check): Check {
  return (value, run) => {
    spend(run, 2);
    run.depth += 1;
    if (run.depth > MAX_DEPTH) throw new OverBudget('it is nested too deep');
    const passed = check(value, run);
    run.depth -= 1;
    return passed;
  };
}

/** An object with more members is large: engines take long to list their names. */
export const LARGE = 64;

/** The names of the members of an object, like `Object.keys`. Cached, because many keywords need those of the same object. */
export function keysOf(value: object, run: Run): readonly string[] {
  const known = run.names?.get(value);
  if (known !== undefined) return known;
  const keys = Object.keys(value);
  if (keys.length <= LARGE) return keys;
  spend(run, 3 * keys.length);
  const names = presentNames(value, keys);
  (run.names ??= new Map()).set(value, names);
  return names;
}

/** The names of the members that exist in JSON. */
export function namesOf(value: object, run: Run): readonly string[] {
  const keys = keysOf(value, run);
  return keys.length > LARGE ? keys : presentNames(value, keys);
}

export function nothingSeen(): Seen {
  return { all: false, items: 0, keys: new Set() };
}

/** Adds the evaluated parts of `inner` to `outer`. */
export function mergeSeen(run: Run, outer: Seen, inner: Seen): void {
  spend(run, 2);
  outer.all ||= inner.all;
  if (outer.all) return;
  spend(run, inner.keys.size * 15);
  outer.items = Math.max(outer.items, inner.items);
  for (const key of inner.keys) outer.keys.add(key);
}

/** Wraps a check of members or items: they are separate values, so their evaluated parts are not those of this value. */
export function isolated(check: Check, mark: (value: unknown, seen: Seen, run: Run) => void): Check {
  return (value, run) => {
    const { seen } = run;
    if (seen === undefined) return check(value, run);
    run.seen = undefined;
    const passed = check(value, run);
    run.seen = seen;
    mark(value, seen, run);
    return passed;
  };
}

export const NO = 0;
export const MAYBE = 1;
export const YES = 2;

/** Applies a schema whose failure does not make the whole fail: its evaluated parts count only if it passes. */
export function attempt(node: SchemaNode, value: unknown, run: Run): typeof NO | typeof MAYBE | typeof YES {
  const { seen, unsure } = run;
  run.unsure = false;
  if (seen !== undefined) run.seen = nothingSeen();
  const passed = node.check(value, run);
  if (passed && seen !== undefined) mergeSeen(run, seen, run.seen!);
  run.seen = seen;
  const sure = !run.unsure;
  run.unsure = unsure || (passed && !sure);
  return passed ? (sure ? YES : MAYBE) : NO;
}

/** The same, without reporting. */
export function attemptQuietly(node: SchemaNode, value: unknown, run: Run): typeof NO | typeof MAYBE | typeof YES {
  const { collect } = run;
  run.collect = false;
  const result = attempt(node, value, run);
  run.collect = collect;
  return result;
}
