// One client that keeps calling, connects again when its connection is gone, and writes down what became of each call.

import { setTimeout as sleep } from 'node:timers/promises';
import type { SavedTask } from 'tenon/client';
import type { ActionKind, History } from './history.ts';
import { failureOf, type ClientKind, type Connection } from './clients.ts';

/** Before a client tries again after a failure, in milliseconds. */
const PAUSE_MS = 100;

export interface WorkerOptions {
  readonly kind: ClientKind;
  readonly name: string;
  readonly url: string;
  readonly history: History;
  readonly callMs: number;
  readonly random: () => number;
}

export class Worker {
  readonly #options: WorkerOptions;
  /** The actions that may ask a question at this moment. */
  readonly #open = new Set<string>();
  #connection: Connection | undefined;
  #stopped = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Calls until it is stopped. */
  async run(): Promise<void> {
    while (!this.#stopped) await this.#act();
    await this.#disconnect();
  }

  get name(): string {
    return this.#options.name;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #act(): Promise<void> {
    const { history, name: client } = this.#options;
    const kind = this.#pick();
    const name = history.newName(client, kind);
    try {
      const connection = (this.#connection ??= await this.#connect());
      await this.#perform(connection, kind, name);
      history.attempts.push({ client, kind, name });
    } catch (error) {
      history.attempts.push({ client, kind, name, failure: failureOf(error) });
      // What a user does whose call has failed: the official clients do not connect again by themselves.
      await this.#disconnect();
      await sleep(PAUSE_MS);
    } finally {
      this.#open.delete(name);
    }
  }

  #pick(): ActionKind {
    const { kind, random } = this.#options;
    const actions: ActionKind[] = ['echo', 'echo', 'steps', 'act'];
    if (kind.asks) actions.push('charge', 'charge', 'think');
    if (this.#connection?.tenon !== undefined) actions.push('task');
    return actions[Math.floor(random() * actions.length)]!;
  }

  async #connect(): Promise<Connection> {
    const { kind, url, history, name, callMs } = this.#options;
    return kind.connect({ url, callMs }, (message) => {
      const asked = /^(?:Charge|Think of) (.+?)\??$/.exec(message)?.[1] ?? message;
      if (!this.#open.has(asked)) history.violations.push(`${name} was asked '${message}', which it has not called`);
      return `yes-${asked}`;
    });
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close().catch(() => {});
  }

  async #perform(connection: Connection, kind: ActionKind, name: string): Promise<void> {
    if (kind === 'task') return this.#startTask(connection, name);
    const { history } = this.#options;
    const expect = (text: string, expected: string): void => {
      if (text !== expected) history.violations.push(`${name} got the result of another call: ${text}`);
    };
    if (kind === 'echo') return expect(await connection.call('echo', { text: name }), name);
    if (kind === 'act') return expect(await connection.call('act', { name }), name);
    if (kind === 'charge') {
      this.#open.add(name);
      return expect(await connection.call('charge', { name }), `${name} yes-${name}`);
    }
    if (kind === 'think') {
      this.#open.add(name);
      return expect(await connection.call('think', { name }), `yes-${name}`);
    }
    const onProgress = (message: string | undefined): void => {
      if (message !== undefined && message !== name) history.violations.push(`${name} got the progress of ${message}`);
    };
    return expect(await connection.call('steps', { name, count: 10 }, onProgress), name);
  }

  async #startTask({ tenon }: Connection, name: string): Promise<void> {
    const { random, history } = this.#options;
    const tool = random() < 0.5 ? 'work' : 'rework';
    const task = await tenon!.start(tool, { name, before: random() * 100, after: random() * 100 });
    history.tasks.push({ name, tool, handle: JSON.parse(JSON.stringify(task)) as SavedTask<string>, ends: [] });
  }
}
