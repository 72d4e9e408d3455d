import { ToolError } from 'tenon';
import { createSlots } from '../../shared/api/slots.ts';
import { explainEnd, explainFailure } from './explain.ts';
import type { Answer, ReadTask, ResultLimits, Rows, Task, WriteTask } from './messages.ts';
import { ProcessEndedError, StatementProcess } from './statement-process.ts';

/** How many statements read at the same time. Each has a process. */
const MAX_READERS = 3;
/** How many processes are kept for later statements. */
const MAX_IDLE = 2;
/** How many calls may wait, and how long, in milliseconds. */
const MAX_WAITING = 32;
const MAX_WAIT_MS = 60_000;
/**
 * The time limit of a commit, and of rolling back what a stopped process left behind, in milliseconds. Stopping a commit would leave it
 * unknown whether it took effect. Stopping a rollback would make the next one start over, and nothing can be read until one is complete.
 */
const COMMIT_MS = 60_000;

type Query = Pick<ReadTask, 'sql' | 'params' | 'isExplained'>;

export interface DatabaseOptions {
  /** The absolute path of the database. */
  readonly file: string;
  /** How long a statement may take, in milliseconds. */
  readonly maxMs: number;
  readonly limits: ResultLimits;
}

/** A database whose statements run in processes of their own. Errors are `ToolError`s. */
export interface Database {
  read(query: Query, signal: AbortSignal): Promise<Rows>;
  /** Runs a statement in a transaction, and returns how many rows it changed. If it rejects, nothing was changed, except as the error says. */
  write(statement: Pick<WriteTask, 'sql' | 'params'>, signal: AbortSignal): Promise<number>;
}

function tooMany(): Error {
  return new ToolError('Too many statements are waiting: try again later');
}

/** Makes the interface of a database. Processes are started when the first statements need them. */
export function createDatabase({ file, maxMs, limits }: DatabaseOptions): Database {
  const queue = { maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS };
  const readers = createSlots(MAX_READERS, queue, tooMany);
  const writers = createSlots(1, queue, tooMany);
  const idle: StatementProcess[] = [];

  /** Gives a process to `use`, and keeps it for later if it is still alive and idle. */
  const withProcess = async <T>(use: (request: Request) => Promise<T>): Promise<T> => {
    let process = idle.pop();
    while (process !== undefined && !process.isAlive) process = idle.pop();
    const running = process ?? new StatementProcess();
    try {
      return await use(async (task, signal) => {
        const isStatement = task.kind === 'read' || task.kind === 'write';
        const answer = await running.request({ ...task, file, maxMs: isStatement ? maxMs : COMMIT_MS } as Task, signal);
        if (answer.kind === 'failed') throw new ToolError(explainFailure(answer.failure));
        return answer;
      });
    } finally {
      if (running.isAlive && idle.length < MAX_IDLE) idle.push(running);
      else running.stop();
    }
  };

  /** Rolls back what an ended process has left behind. A failure is reported by the next statement. */
  const recover = (): Promise<unknown> =>
    withProcess((request) => request({ kind: 'recover' }, new AbortController().signal)).catch(() => {});

  return {
    async read(query, signal) {
      const release = await readers(signal);
      try {
        const answer = await withProcess((request) => request({ kind: 'read', ...query, limits }, signal));
        return (answer as Extract<Answer, { kind: 'rows' }>).result;
      } catch (error) {
        throw error instanceof ProcessEndedError ? new ToolError(explainEnd(error.reason, maxMs)) : error;
      } finally {
        release();
      }
    },
    async write(statement, signal) {
      const release = await writers(signal);
      let isCommitting = false;
      try {
        return await withProcess(async (request) => {
          const answer = await request({ kind: 'write', ...statement }, signal);
          isCommitting = true;
          await request({ kind: 'commit' }, new AbortController().signal);
          return (answer as Extract<Answer, { kind: 'written' }>).changes;
        });
      } catch (error) {
        if (error instanceof ToolError) throw error;
        await recover();
        if (!(error instanceof ProcessEndedError)) throw error;
        throw new ToolError(
          isCommitting
            ? 'The process ended while it was storing the change: look whether the change is there'
            : `${explainEnd(error.reason, maxMs)} Nothing was changed.`,
        );
      } finally {
        release();
      }
    },
  };
}

type OwnMembers<T> = T extends Task ? Omit<T, 'file' | 'maxMs'> : never;
type Request = (task: OwnMembers<Task>, signal: AbortSignal) => Promise<Answer>;
