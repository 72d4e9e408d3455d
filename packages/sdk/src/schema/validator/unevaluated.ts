import { isObject } from '../../protocol/jsonrpc.ts';
import { spend } from '../budget.ts';
import { member } from './equal.ts';
import type { Check, Run, SchemaNode } from './model.ts';
import { descend, mergeSeen, namesOf, nothingSeen, report } from './run.ts';

/**
 * Wraps the check of all other keywords with `unevaluatedProperties` and `unevaluatedItems`, which check the members and items that those
 * have not evaluated.
 */
export function withUnevaluated(node: SchemaNode, inner: Check): Check {
  const properties = node.children.get('unevaluatedProperties');
  const items = node.children.get('unevaluatedItems');
  if (properties === undefined && items === undefined) return inner;
  return (value, run) => {
    const isArray = Array.isArray(value);
    const rest = isArray ? items : isObject(value) ? properties : undefined;
    if (rest === undefined) return inner(value, run);
    // Keywords of outer schemas see what is evaluated here, but not the other way round.
    const outer = run.seen;
    const seen = nothingSeen();
    run.seen = seen;
    let passed = inner(value, run);
    run.seen = undefined;
    if ((passed || run.collect) && !seen.all) {
      const keys = isArray ? value.keys() : namesOf(value as object, run);
      passed = checkRest(rest, value as object, keys, seen, run) && passed;
      seen.all = true;
    }
    run.seen = outer;
    if (outer !== undefined) mergeSeen(run, outer, seen);
    return passed;
  };
}

function checkRest(
  rest: SchemaNode,
  value: object,
  keys: Iterable<string | number>,
  seen: { readonly items: number; readonly keys: ReadonlySet<string | number> },
  run: Run,
): boolean {
  let passed = true;
  for (const key of keys) {
    spend(run, 2);
    if (seen.keys.has(key) || (typeof key === 'number' && key < seen.items)) continue;
    const good =
      rest.schema === false
        ? report(run, 'is not allowed', undefined, key)
        : descend(rest, member(value, key as string), key, run);
    if (good) continue;
    passed = false;
    if (!run.collect) return false;
  }
  return passed;
}
