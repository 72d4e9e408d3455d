import { valueTextAt } from '../../../../src/values/json-text.ts';
import type { Tone } from '../../parts/Badge.tsx';
import { duration } from '../../parts/numbers.ts';

// The facts of a task for display. Any of them may be missing or invalid, because they come from a server.

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['working', 'info'],
  ['input_required', 'warn'],
  ['completed', 'ok'],
  ['failed', 'bad'],
  ['cancelled', 'plain'],
]);

export function toneOfStatus(status: unknown): Tone {
  return TONES.get(String(status)) ?? 'plain';
}

export interface TaskFacts {
  readonly status: string | undefined;
  readonly tone: Tone;
  /** Its times, in words. */
  readonly times: readonly { readonly text: string; readonly title: string }[];
}

/** The local time of day; any text that is not a time stays unchanged. */
function timeOf(value: string): string {
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? value : time.toLocaleTimeString('en-GB');
}

export function taskFacts(entry: Readonly<Record<string, unknown>>): TaskFacts {
  const { status, createdAt, lastUpdatedAt } = entry;
  // The extension of 2026-07-28 has other names for these.
  const { ttlMs: ttl = entry['ttl'], pollIntervalMs: pollInterval = entry['pollInterval'] } = entry;
  const times = [
    ...(typeof createdAt === 'string' ? [{ text: `created ${timeOf(createdAt)}`, title: createdAt }] : []),
    ...(typeof lastUpdatedAt === 'string' ? [{ text: `updated ${timeOf(lastUpdatedAt)}`, title: lastUpdatedAt }] : []),
    ...(typeof ttl === 'number'
      ? [{ text: `kept ${duration(ttl)}`, title: 'Time after creation until the server may forget it' }]
      : []),
    ...(typeof pollInterval === 'number'
      ? [{ text: `poll every ${duration(pollInterval)}`, title: 'The polling interval that the server suggests' }]
      : []),
  ];
  return {
    status: typeof status === 'string' ? status : undefined,
    tone: toneOfStatus(status),
    times,
  };
}

/** The id of the task that an answer creates. Undefined: it is a result. For 2025-11-25 and the extension of 2026-07-28. */
export function createdTask(result: string | undefined): string | undefined {
  if (result === undefined) return undefined;
  const isFlat = valueTextAt(result, '/resultType') === '"task"';
  const text = valueTextAt(result, isFlat ? '/taskId' : '/task/taskId');
  const id: unknown = text === undefined ? undefined : JSON.parse(text);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Whether a tool must or may be called as a task. Undefined: it cannot be, or the server does not support such calls. */
export function taskSupportOf(
  tool: string,
  { revision, capabilities }: { readonly revision?: string; readonly capabilities?: Readonly<Record<string, unknown>> },
): 'required' | 'optional' | undefined {
  if (revision !== '2025-11-25') return undefined;
  const declared = valueTextAt(JSON.stringify(capabilities ?? {}), '/tasks/requests/tools/call');
  if (declared === undefined) return undefined;
  const support = valueTextAt(tool, '/execution/taskSupport');
  return support === '"required"' ? 'required' : support === '"optional"' ? 'optional' : undefined;
}
