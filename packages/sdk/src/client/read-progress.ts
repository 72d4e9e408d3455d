import type { JsonObject, RequestId } from '../protocol/jsonrpc.ts';
import type { Progress } from '../protocol/results.ts';

/** Reads a progress notification. Undefined without a token or a number. */
export function readProgress(
  params: JsonObject | undefined,
): { readonly token: RequestId; readonly report: Progress } | undefined {
  const { progressToken, progress, total, message } = params ?? {};
  if (progressToken === undefined || !Number.isFinite(progress)) return undefined;
  const report = {
    progress: progress as number,
    // Absent, not undefined: programs compare and print these reports.
    ...(Number.isFinite(total) ? { total: total as number } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
  return { token: progressToken as RequestId, report };
}
