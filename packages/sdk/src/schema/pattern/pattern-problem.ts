import type { Budget } from '../budget.ts';
import { OverBudget } from '../budget.ts';
import { isExponential } from './ambiguity.ts';
import { parsePattern, PatternError } from './parse.ts';
import { splitConditions, START } from './pattern.ts';
import { makeProgram } from './program.ts';

/**
 * Why a pattern is a problem. `invalid`: it is not a regular expression. `refused`: engines that run in linear time, Tenon's among them,
 * reject it because of a backreference, a lookaround, or its size. `exponential`: backtracking engines may take exponential time to find
 * that it does not match.
 */
export interface PatternProblem {
  readonly kind: 'invalid' | 'refused' | 'exponential';
  /** A clause about the pattern, without its text: `it refers back to a group`. */
  readonly message: string;
}

const MAX_STEPS = 50_000;

/**
 * The problem with a `pattern` of a schema; undefined if there is none, or if it has too many loops to examine. Never throws.
 *
 * @example patternProblem('^(a+)+$') // { kind: 'exponential', message: 'a loop in it can read the same text in two ways' }
 */
export function patternProblem(pattern: string): PatternProblem | undefined {
  const budget: Budget = { steps: MAX_STEPS };
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
}
