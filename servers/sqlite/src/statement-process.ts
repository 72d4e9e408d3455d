import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { entryFile } from '../../shared/entry-file.ts';
import type { Answer, Task } from './messages.ts';

/** Why a process ended before it answered. */
export type EndReason = 'time' | 'memory' | 'unknown';

export class ProcessEndedError extends Error {
  override readonly name = 'ProcessEndedError';
  readonly reason: EndReason;

  constructor(reason: EndReason) {
    super(`The process ended: ${reason}`);
    this.reason = reason;
  }
}

const WORKER = entryFile('statement-worker', import.meta.url);
/** How long a process may take to start, in milliseconds. */
const START_MS = 60_000;

function start(): ChildProcess {
  return fork(fileURLToPath(WORKER), [], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=256'],
    // For `bigint` parameters.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** A process that runs one statement after the other. */
export class StatementProcess {
  readonly #child = start();
  readonly #ready: Promise<Answer>;

  constructor() {
    this.#child.on('error', () => {});
    this.#ready = this.#next(START_MS, new AbortController().signal);
    // Reported by the request that waits for it.
    this.#ready.catch(() => {});
  }

  get isAlive(): boolean {
    return this.#child.connected && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /**
   * Runs a task. If it is cancelled or takes longer than its `maxMs`, the process is ended, and the promise is rejected once it has ended: with
   * the reason of the signal, or with a `ProcessEndedError`.
   */
  async request(task: Task, signal: AbortSignal): Promise<Answer> {
    this.#child.ref();
    this.#child.channel?.ref();
    try {
      await this.#ready;
      signal.throwIfAborted();
      const answer = this.#next(task.maxMs, signal);
      if (this.isAlive) this.#child.send(task, () => {});
      return await answer;
    } finally {
      // An idle process does not keep the server alive. It ends with the server.
      this.#child.unref();
      this.#child.channel?.unref();
    }
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  #next(maxMs: number, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const child = this.#child;
      let isLate = false;
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        child.off('message', onMessage);
        child.off('exit', onExit);
        child.off('error', onExit);
      };
      const stop = (): void => void child.kill('SIGKILL');
      const onMessage = (message: unknown): void => {
        // It answered, but it is ended already.
        if (isLate || signal.aborted) return;
        end();
        resolve(message as Answer);
      };
      const onExit = (): void => {
        end();
        if (signal.aborted) reject(signal.reason as Error);
        // The process ends itself with SIGTERM if it needs too much memory.
        else reject(new ProcessEndedError(isLate ? 'time' : child.signalCode === 'SIGTERM' ? 'memory' : 'unknown'));
      };
      const timer = setTimeout(() => {
        isLate = true;
        stop();
      }, maxMs);
      signal.addEventListener('abort', stop, { once: true });
      child.on('message', onMessage);
      child.on('exit', onExit);
      child.on('error', onExit);
      if (child.exitCode !== null || child.signalCode !== null) onExit();
    });
  }
}
