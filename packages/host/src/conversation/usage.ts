import type { LanguageModelUsage } from 'ai';
import { estimateTokens } from './clip.ts';
import type { RunUsage } from './types.ts';

export const NO_USAGE: RunUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, estimated: false };

/** Adds the usage of a step, estimated from its characters if the provider does not report it. */
export function addUsage(
  sum: RunUsage,
  reported: LanguageModelUsage | undefined,
  sent: () => number,
  received: unknown,
): RunUsage {
  const inputTokens = reported?.inputTokens ?? sent();
  const outputTokens = reported?.outputTokens ?? estimateTokens((JSON.stringify(received) ?? '').length);
  const isReported = reported?.inputTokens !== undefined && reported.outputTokens !== undefined;
  return {
    inputTokens: sum.inputTokens + inputTokens,
    outputTokens: sum.outputTokens + outputTokens,
    totalTokens: sum.totalTokens + (reported?.totalTokens ?? inputTokens + outputTokens),
    estimated: sum.estimated || !isReported,
  };
}
