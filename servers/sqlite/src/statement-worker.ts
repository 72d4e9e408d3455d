// A process that runs statements for the server. SQLite does not return to JavaScript while it computes a row, and Node cannot interrupt it:
// not even a worker thread ends before that. So a statement that takes too long is stopped by ending the process.
import process from 'node:process';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import type { Answer, Task } from './messages.ts';
import { failureBy } from './prepare.ts';
import { readRows } from './read-rows.ts';
import { recover, type Transaction, writeStatement } from './write-statement.ts';

/** The process may use this much more memory than at its start, in bytes. */
const MAX_MEMORY = 512 * 1024 * 1024;
const LOOK_MS = 50;
/** The server ends a process that takes too long. This long after that, the process ends itself. */
const GRACE_MS = 2_000;

/** Ends the process if a statement takes too long or needs too much memory, in a thread, because the main thread is busy then. */
function watch(deadline: Float64Array): void {
  const before = process.memoryUsage.rss();
  setInterval(() => {
    if (process.memoryUsage.rss() - before > MAX_MEMORY) process.kill(process.pid, 'SIGTERM');
    if (deadline[0]! > 0 && Date.now() > deadline[0]!) process.kill(process.pid, 'SIGKILL');
  }, LOOK_MS);
}

function serve(): void {
  const deadline = new Float64Array(new SharedArrayBuffer(8));
  new Worker(new URL(import.meta.url), { workerData: deadline, execArgv: [] }).unref();
  const sqlite = process.getBuiltinModule('node:sqlite');
  let open: Transaction | undefined;

  const run = (task: Task): Answer => {
    switch (task.kind) {
      case 'read':
        return { kind: 'rows', result: readRows(sqlite, task) };
      case 'write':
        open = writeStatement(sqlite, task);
        return { kind: 'written', changes: open.changes };
      case 'commit':
        open?.commit();
        open = undefined;
        return { kind: 'done' };
      case 'recover':
        recover(sqlite, task);
        return { kind: 'done' };
    }
  };
  const tryRun = (task: Task): Answer => {
    try {
      return run(task);
    } catch (error) {
      return { kind: 'failed', failure: failureBy(error) };
    }
  };

  process.on('message', (task: Task) => {
    deadline[0] = Date.now() + task.maxMs + GRACE_MS;
    const answer = tryRun(task);
    // An open transaction must not stay open either.
    if (open === undefined) deadline[0] = 0;
    process.send!(answer);
  });
  // The server is gone.
  process.on('disconnect', () => process.exit());
  process.send!({ kind: 'ready' } satisfies Answer);
}

if (isMainThread) serve();
else watch(workerData as Float64Array);
