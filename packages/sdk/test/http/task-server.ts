// A server whose tools run as tasks, on a real port, and clients of 2026-07-28 that follow them.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { until } from '../../../../scripts/lib/until.ts';
import { serveHttp, type ServeHttpOptions } from '../../src/entries/node.ts';
import type { Server } from '../../src/entries/index.ts';
import { makeTasks } from '../suite/fixtures/tasks.ts';
import { EXTENSION } from '../suite/task-calls.ts';
import { type Answer, type Fields, send } from './send.ts';
import { fieldsOf, modernBody } from './stage.ts';

/** The claim of a client that accepts tasks and questions. */
export const CLAIM = {
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions: { [EXTENSION]: {} } },
};

export interface Served {
  readonly url: string;
  /** A modern request of a client that accepts tasks. */
  modern(method: string, params?: Record<string, unknown>, more?: Fields, meta?: object): Promise<Answer>;
}

/** Serves the tools that run as tasks. A client identifies itself in the header `user`. */
export async function serveTasks(options: ServeHttpOptions = {}, app: Server<any> = makeTasks()): Promise<Served> {
  const served = await serveHttp(app, {
    port: 0,
    signals: false,
    drainMs: 50,
    auth: ({ header }) => ({ id: header('user') ?? 'nobody' }),
    ...options,
  });
  after(() => served.close());
  return {
    url: served.url,
    modern(method, params = {}, more = {}, meta = CLAIM) {
      const name = (params['name'] ?? params['taskId']) as string | undefined;
      return send(served.url, 'POST', fieldsOf(method, name, more), modernBody(method, params, meta));
    },
  };
}

export async function createdBy({ modern }: Served, user: string, name: string, args: object = {}): Promise<string> {
  const { json } = await modern('tools/call', { name, arguments: args }, { user });
  assert.equal(json.result?.resultType, 'task', JSON.stringify(json));
  return json.result.taskId as string;
}

export async function shown({ modern }: Served, user: string, taskId: string): Promise<any> {
  return (await modern('tasks/get', { taskId }, { user })).json.result;
}

export async function shownWhen(served: Served, user: string, taskId: string, status: string): Promise<any> {
  let task: any;
  await until(
    async () => (task = await shown(served, user, taskId))?.status === status,
    () => `${status}, it is ${JSON.stringify(task)}`,
  );
  return task;
}
