import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'tenon/client';
import { createdTask, followTask, isTerminal, type TaskFollowing, type TaskState } from 'tenon/internal';
import { isObject } from '@tenon/values/is-object';
import type { ProblemView, TaskView } from '../api/views.ts';
import type { Facts } from '../trace/facts.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import type { TraceLine } from '../trace/line.ts';
import { ofTask } from './asker.ts';
import { WorkbenchError } from './contract.ts';
import type { Asker, Inbox } from './inbox.ts';
import { askForTask } from './task-questions.ts';

/** The tasks that a server created for calls. Each is followed until it ends, so that its result is in the trace. */
export interface Tasks {
  /** Tasks that have not ended, and tasks whose end is unknown because they could not be followed. */
  readonly views: readonly TaskView[];
}

/** The number of tasks followed at the same time. */
const MAX_FOLLOWED = 50;
/** The number of tasks kept that could not be followed. */
const MAX_KEPT = 20;

/** An answer that creates a task is short; longer ones are results. */
const MAX_CREATION_LENGTH = 65_536;

/** The time limit for the result of a task, in milliseconds: it arrives when the task ends. */
const RESULT_MS = 24 * 3_600_000;

export interface TasksOptions {
  readonly client: Client;
  readonly store: TraceStore;
  readonly inbox: Inbox;
  /** The source of the questions on this connection. */
  readonly asker: Asker;
  /** The roots of the server. */
  readonly folders: () => readonly string[];
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal;
  readonly changed: () => void;
  readonly problemFrom: (error: unknown) => ProblemView;
}

/** The task in the answer to a call. */
function taskIn(facts: Facts, { text }: TraceLine): TaskState | undefined {
  if (facts.outcome !== 'task' || facts.message !== 'response' || facts.from !== 'server') return undefined;
  if (facts.method !== 'tools/call' || facts.size > MAX_CREATION_LENGTH) return undefined;
  const { result } = JSON.parse(text) as { readonly result?: unknown };
  return createdTask(result);
}

function viewOf({ id, status, message, pollMs }: TaskState): TaskView {
  return { id, status, message, pollMs };
}

export function createTasks(options: TasksOptions): Tasks {
  const { client, store, inbox, asker, signal, changed } = options;
  const isLegacy = client.era === 'legacy';
  const views = new Map<string, TaskView>();
  let followed = 0;

  /** Asks every question that is not being asked already. All at once, so that the user can answer in any order. */
  const answering = (): ((state: TaskState) => Promise<void>) => {
    const asked = new Set<string>();
    return async ({ id, questions }) => {
      for (const question of Object.entries(questions)) {
        const [name] = question;
        // The name of a question is unique during the task, and the task's state may show an answer only later.
        if (asked.has(name)) continue;
        asked.add(name);
        const taskAsker = ofTask(asker, id, name, client, store);
        void askForTask(inbox, taskAsker, question, options.folders(), signal)
          ?.then((answer) => update(id, name, answer))
          .catch(() => {
            // The task no longer needs the answer, or the user declined.
          });
      }
    };
  };

  const update = (taskId: string, name: string, answer: object): Promise<unknown> =>
    client.request('tasks/update', { taskId, inputResponses: { [name]: answer } } as never, { signal });

  const follow = async (created: TaskState): Promise<void> => {
    const { id } = created;
    followed++;
    try {
      const following: TaskFollowing = {
        isLegacy,
        request: async (method, params, waits) => {
          const result = await client.request(method, params, waits ? { signal, timeout: RESULT_MS } : { signal });
          if (!isObject(result)) throw new WorkbenchError('failed', `The result of ${method} is not an object`);
          return result;
        },
        seen(state) {
          const before = views.get(id);
          const view = viewOf(state);
          if (isTerminal(state.status)) views.delete(id);
          else views.set(id, view);
          if (before?.status !== view.status || before?.message !== view.message) changed();
        },
        answer: answering(),
        delay: (ms) => delay(ms, undefined, { signal, ref: false }),
      };
      following.seen?.(created);
      await followTask(id, following, created);
    } catch (error) {
      if (!signal.aborted) fail(created, error);
    } finally {
      followed--;
      if (signal.aborted) views.delete(id);
    }
  };

  const fail = (created: TaskState, error: unknown): void => {
    const last = views.get(created.id) ?? viewOf(created);
    views.set(created.id, { ...last, problem: options.problemFrom(error) });
    const failed = [...views.values()].filter(({ problem }) => problem !== undefined);
    for (const { id } of failed.slice(0, -MAX_KEPT)) views.delete(id);
    changed();
  };

  const stop = store.watch((line, facts) => {
    if (facts.session !== asker.session) return;
    const created = taskIn(facts, line);
    if (created === undefined || views.has(created.id) || followed >= MAX_FOLLOWED) return;
    void follow(created);
  });
  signal.addEventListener('abort', stop, { once: true });

  return {
    get views() {
      return [...views.values()];
    },
  };
}
