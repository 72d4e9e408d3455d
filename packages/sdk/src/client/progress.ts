import type { JsonObject, RequestId } from '../protocol/jsonrpc.ts';
import type { Progress } from '../protocol/results.ts';

/** Reads a progress notification. Undefined without a token or a number. */
export function readProgress(
  params: JsonObject | undefined,
): { readonly token: RequestId; readonly report: Progress } | undefined {
  const { progressToken, progress, total, message } = params ?? {};
  if (progressToken === undefined || typeof progress !== 'number') return undefined;
  const report = {
    progress,
    // Absent, not undefined: programs compare and print what is reported to them.
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
  return { token: progressToken as RequestId, report };
}
