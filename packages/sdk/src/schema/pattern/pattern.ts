import { spend } from '../budget.ts';
import type { Budget } from '../budget.ts';
import { makeMatcher } from './matcher.ts';
import type { Matcher, Pool } from './matcher.ts';
import { parsePattern } from './parse.ts';
import type { Tree } from './parse.ts';
import { makeProgram } from './program.ts';

/**
 * Compiles a `pattern` of a schema to a matcher that takes linear time for any pattern. All regular constructs work, and lookahead right
 * after a leading `^` (`^(?=.*\d)(?!.*\s).+$`), which is a conjunction of regular patterns. Backreferences, lookbehind and other lookahead
 * are refused.
 *
 * Throws a `PatternError` with the reason, or `OverBudget`.
 */
export function compilePattern(source: string, budget: Budget, pool: Pool): Matcher {
  spend(budget, 100 + source.length);
  const { conditions, rest } = splitConditions(parsePattern(source));
  const matches = makeMatcher(makeProgram(rest, budget), pool);
  if (conditions.length === 0) return matches;
  const checks = conditions.map(({ item, negated }) => {
    const fromStart: Tree = { kind: 'sequence', items: [START, item] };
    return { negated, matches: makeMatcher(makeProgram(fromStart, budget), pool) };
  });
  return (text, meter) => checks.every((check) => check.matches(text, meter) !== check.negated) && matches(text, meter);
}

export const START: Tree = { kind: 'assertion', what: 'start' };

type Ahead = Extract<Tree, { kind: 'ahead' }>;

/** Separates the lookaheads at the start of a pattern from the rest. */
export function splitConditions(tree: Tree): { conditions: Ahead[]; rest: Tree } {
  const conditions: Ahead[] = [];
  if (tree.kind !== 'sequence' || tree.items[0]?.kind !== 'assertion' || tree.items[0].what !== 'start') {
    return { conditions, rest: tree };
  }
  const [start, ...items] = tree.items;
  while (items[0]?.kind === 'ahead') conditions.push(items.shift() as Ahead);
  return { conditions, rest: { kind: 'sequence', items: [start, ...items] } };
}
