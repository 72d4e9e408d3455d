/**
 * What is left of the work a peer's schema may cause. Counting steps instead of reading a clock keeps a verdict
 * the same on a slow and on a fast machine; one step is some ten nanoseconds of work.
 */
export interface Budget {
  steps: number;
}

/** Thrown when the work a schema asks for is used up; never leaves this room. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/** Takes `steps` from the budget. Throws `OverBudget` when there is not that much left. */
export const spend = (budget: Budget, steps: number): void => {
  budget.steps -= steps;
  if (budget.steps < 0) throw new OverBudget('it takes too much work');
};
