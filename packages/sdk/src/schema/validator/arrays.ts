import { spend } from '../budget.ts';
import type { Budget } from '../budget.ts';
import { SchemaError } from '../schema-error.ts';
import type { Build, Family, Part } from './build.ts';
import { makeJsonIndex } from './equal.ts';
import { reportFault } from './faults.ts';
import type { Check, SchemaNode } from './model.ts';
import { childList, readBoolean, readCount } from './read.ts';
import { attemptQuietly, descend, MAYBE, NO, report, YES } from './run.ts';
import { locate } from './tree.ts';

/** The keywords for arrays. */
export const arrayFamily: Family = (node, build) => [
  ...sizeParts(node),
  itemsPart(node, build),
  containsPart(node),
  uniquePart(node),
];

function sizeParts(node: SchemaNode): Part[] {
  const parts: Part[] = [];
  const min = readCount(node, 'minItems');
  const max = readCount(node, 'maxItems');
  if (min !== undefined) {
    const message = `must have at least ${min} ${min === 1 ? 'item' : 'items'}`;
    parts.push({ check: (value, run) => !Array.isArray(value) || value.length >= min || report(run, message) });
  }
  if (max !== undefined) {
    const message = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
    parts.push({ check: (value, run) => !Array.isArray(value) || value.length <= max || report(run, message) });
  }
  return parts;
}

function itemsPart(node: SchemaNode, { document }: Build): Part | undefined {
  const [prefixKeyword, restKeyword] = node.dialect.tuple;
  const list = childList(node, prefixKeyword);
  // Libraries write this for an empty tuple. It is reported, but does not make the schema unusable.
  if (document.faults !== undefined && prefixKeyword === 'prefixItems' && list?.length === 0)
    reportFault(document, new SchemaError('prefixItems must not be empty', locate(node, prefixKeyword)));
  // Before 2020-12 `items` may be one schema for all items, and `additionalItems` only has an effect beside a list.
  const single = list === undefined && restKeyword === 'additionalItems' ? node.children.get('items') : undefined;
  const rest =
    single ?? (list === undefined && restKeyword === 'additionalItems' ? undefined : node.children.get(restKeyword));
  const prefix = list ?? [];
  if (prefix.length === 0 && rest === undefined) return undefined;
  return {
    nested: true,
    check: (value, run) => {
      if (!Array.isArray(value)) return true;
      const end = rest === undefined ? Math.min(prefix.length, value.length) : value.length;
      let passed = true;
      for (let at = 0; at < end; at += 1) {
        spend(run, 1);
        if (descend(prefix[at] ?? rest!, value[at], at, run)) continue;
        passed = false;
        if (!run.collect) return false;
      }
      return passed;
    },
    mark: (value, seen) => {
      if (!Array.isArray(value)) return;
      if (rest !== undefined) seen.all = true;
      else seen.items = Math.max(seen.items, prefix.length);
    },
  };
}

function containsPart(node: SchemaNode): Part | undefined {
  const min = readCount(node, 'minContains') ?? 1;
  const max = readCount(node, 'maxContains') ?? Infinity;
  const contains = node.children.get('contains');
  if (contains === undefined) return undefined;
  // Draft-07 does not have the two counts.
  const [least, most] = node.dialect.refAlone ? [1, Infinity] : [min, max];
  const message = `must contain ${most === Infinity ? `at least ${least}` : `${least} to ${most}`} matching ${least === 1 && most === Infinity ? 'item' : 'items'}`;
  const check: Check = (value, run) => {
    if (!Array.isArray(value)) return true;
    const { seen } = run;
    run.seen = undefined;
    const counts = [0, 0, 0];
    for (let at = 0; at < value.length; at += 1) {
      spend(run, 2);
      const result = attemptQuietly(contains, value[at], run);
      counts[result]! += 1;
      if (result !== NO && seen !== undefined && node.dialect.containsEvaluates) seen.keys.add(at);
      if (seen === undefined && most === Infinity && counts[YES]! >= least) break;
    }
    run.seen = seen;
    return (counts[YES]! <= most && counts[YES]! + counts[MAYBE]! >= least) || report(run, message);
  };
  return { nested: true, check };
}

function uniquePart(node: SchemaNode): Part | undefined {
  if (readBoolean(node, 'uniqueItems') !== true) return undefined;
  return {
    check: (value, run) => {
      if (!Array.isArray(value)) return true;
      const repeat = firstRepeat(value, run);
      return (
        repeat === undefined ||
        report(run, `must have no equal items, but items ${repeat[0]} and ${repeat[1]} are equal`)
      );
    },
  };
}

/** The first two equal items, in time linear in the size of the array. */
function firstRepeat(items: readonly unknown[], budget: Budget): readonly [number, number] | undefined {
  const known = makeJsonIndex();
  for (let at = 0; at < items.length; at += 1) {
    const before = known.place(items[at], at, budget);
    if (before !== undefined) return [before, at];
  }
  return undefined;
}
