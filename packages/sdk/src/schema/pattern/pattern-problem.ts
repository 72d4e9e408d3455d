import type { Budget } from '../budget.ts';
import { OverBudget } from '../budget.ts';
import { isExponential } from './ambiguity.ts';
import { parsePattern, PatternError } from './parse.ts';
import { splitConditions, START } from './pattern.ts';
import { makeProgram } from './program.ts';

/**
 * Why a pattern does harm. `invalid`: it is no regular expression. `refused`: engines that run in linear time refuse it, Tenon's among them,
 * for a backreference, for looking around, or for its size. `exponential`: engines that backtrack may take for ever to find no match.
 */
export interface PatternProblem {
  readonly kind: 'invalid' | 'refused' | 'exponential';
  /** A clause about the pattern, without it: `it refers back to a group`. */
  readonly message: string;
}

const MOST_STEPS = 50_000;

/**
 * What is wrong with a `pattern` of a schema; undefined when nothing is, or when its loops are too many to look at. Never throws.
 *
 * @example patternProblem('^(a+)+$') // { kind: 'exponential', message: 'a loop in it can read the same text in two ways' }
 */
export const patternProblem = (pattern: string): PatternProblem | undefined => {
  const budget: Budget = { steps: MOST_STEPS };
  try {
    const { conditions, rest } = splitConditions(parsePattern(pattern));
    const trees = [rest, ...conditions.map(({ item }) => ({ kind: 'sequence' as const, items: [START, item] }))];
    const slow = trees.some((tree) => isExponential(makeProgram(tree, budget), budget));
    return slow ? { kind: 'exponential', message: 'a loop in it can read the same text in two ways' } : undefined;
  } catch (error) {
    if (error instanceof OverBudget) return undefined;
    if (!(error instanceof PatternError)) throw error;
    return { kind: error.refused ? 'refused' : 'invalid', message: error.message };
  }
};
