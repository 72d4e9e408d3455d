import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { featuresOf, type Revision } from '../../protocol/revision.ts';
import type { TaskStatus } from '../../protocol/tasks.ts';
import { hasEnded, type TaskRecord } from './task-record.ts';
import type { StoredTask } from './tasks.ts';

/** The status of a task in a revision: a tool error is a failure in 2025-11-25, and a completed task with `isError` in 2026-07-28. */
function statusOf({ state, outcome, questions }: TaskRecord, revision: Revision): TaskStatus {
  if (state === 'cancelled') return 'cancelled';
  if (outcome === undefined) return Object.keys(questions).length > 0 ? 'input_required' : 'working';
  if ('error' in outcome) return 'failed';
  return outcome.result['isError'] === true && featuresOf(revision).coreTasks ? 'failed' : 'completed';
}

const POLL_MS = { least: 100, most: 5_000 };

/** The polling interval for clients, in milliseconds. It grows with the age of the task. */
function pollMsOf({ createdAt, updatedAt }: TaskRecord): number {
  const age = Math.max(Date.now(), Date.parse(updatedAt)) - Date.parse(createdAt);
  return Math.round(Math.min(POLL_MS.most, Math.max(POLL_MS.least, age / 20)));
}

/** A task as `revision` shows it, without its questions and its result. */
export function encodeTask({ record, message }: StoredTask, revision: Revision): JsonObject {
  const { id, createdAt, updatedAt, ttlMs } = record;
  const status = statusOf(record, revision);
  const shared = { taskId: id, status, statusMessage: messageOf(record, message), createdAt, lastUpdatedAt: updatedAt };
  const pollMs = hasEnded(record) ? undefined : pollMsOf(record);
  return featuresOf(revision).coreTasks
    ? { ...shared, ttl: ttlMs, pollInterval: pollMs }
    : { ...shared, ttlMs, pollIntervalMs: pollMs };
}

function messageOf({ outcome }: TaskRecord, message: string | undefined): string | undefined {
  return outcome !== undefined && 'error' in outcome ? outcome.error.message : message;
}

/** A task of 2026-07-28 with what belongs to its status: its questions, its result or its error. */
export function encodeDetailedTask(task: StoredTask, revision: Revision): JsonObject {
  const { outcome, questions } = task.record;
  const encoded = encodeTask(task, revision);
  if (encoded['status'] === 'input_required') return { ...encoded, inputRequests: questions };
  return outcome === undefined ? encoded : { ...encoded, ...outcome };
}
