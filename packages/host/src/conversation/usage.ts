import type { LanguageModelUsage } from 'ai';
import { estimateTokens } from './clip.ts';
import type { RunUsage } from './types.ts';

export const NO_USAGE: RunUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, estimated: false };

/** What a step adds, counted by its characters where the provider does not say. */
export const addUsage = (
  sum: RunUsage,
  told: LanguageModelUsage | undefined,
  sent: () => number,
  received: unknown,
): RunUsage => {
  const inputTokens = told?.inputTokens ?? sent();
  const outputTokens = told?.outputTokens ?? estimateTokens((JSON.stringify(received) ?? '').length);
  const isTold = told?.inputTokens !== undefined && told.outputTokens !== undefined;
  return {
    inputTokens: sum.inputTokens + inputTokens,
    outputTokens: sum.outputTokens + outputTokens,
    totalTokens: sum.totalTokens + (told?.totalTokens ?? inputTokens + outputTokens),
    estimated: sum.estimated || !isTold,
  };
};
