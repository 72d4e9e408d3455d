/**
 * The remaining work that a peer's schema may cause. Counting steps instead of time makes the result the same on slow and fast machines;
 * one step takes about ten nanoseconds.
 */
export interface Budget {
  steps: number;
}

/** Thrown when the budget for a schema is used up; never leaves this folder. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/** Takes `steps` from the budget. Throws `OverBudget` if less is left. */
export function spend(budget: Budget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new OverBudget('it takes too much work');
}
