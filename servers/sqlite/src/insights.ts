import { ToolError } from 'tenon';

const MAX_INSIGHTS = 1_000;

/** The insights of this run of the server. They are not stored. */
export interface Insights {
  add(insight: string): void;
  /** The memo with all insights. */
  memo(): string;
}

/** Makes an empty memo. */
export function createInsights(): Insights {
  const all: string[] = [];
  return {
    add(insight) {
      if (all.length >= MAX_INSIGHTS)
        throw new ToolError(
          `The memo has ${MAX_INSIGHTS} insights and takes no more: write a summary for the user instead`,
        );
      all.push(insight);
    },
    memo() {
      if (all.length === 0) return 'There are no business insights yet.';
      // One line for each, so that no insight looks like several.
      const lines = all.map((insight) => `- ${insight.replaceAll(/\s*\n\s*/g, ' ')}`);
      return `Business insights (${all.length}):\n\n${lines.join('\n')}\n`;
    },
  };
}
