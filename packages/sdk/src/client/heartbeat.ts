import { ConnectionError, TimeoutError } from '../protocol/errors.ts';
import { holdProcess } from '../protocol/timers.ts';
import type { Timer } from './clock.ts';
import type { ConnectionContext, ServerConnection } from './server-connection.ts';

/**
 * Pings the server whenever nothing has come from it for `everyMs` milliseconds. A ping that is not answered in time ends the connection, so
 * that it is replaced as after any other failure. See "Ping" of the specification. Does not keep the process alive.
 */
export function startHeartbeat(
  connection: ServerConnection,
  { rpc, report, settings: { clock, timeout } }: ConnectionContext,
  everyMs: number,
): void {
  let timer: Timer;
  let inputs = rpc.inputs;
  let isOver = false;

  const wait = (): void => {
    if (isOver) return;
    timer = clock.setTimeout(() => void beat(), everyMs);
    holdProcess(timer, false);
  };

  const beat = async (): Promise<void> => {
    if (rpc.inputs === inputs)
      await connection.ping({ timeout }).catch((error: unknown) => {
        if (isOver) return;
        if (!(error instanceof TimeoutError))
          // It answered with an error; or, over HTTP, it is unreachable at the moment, which each request reports itself.
          return report('info', 'ping-failed', 'A ping of the server failed', error);
        const message = `The server did not answer a ping for ${timeout} ms`;
        report('warn', 'ping-failed', message);
        rpc.end(new ConnectionError('disconnected', message, { cause: error }));
      });
    inputs = rpc.inputs;
    wait();
  };

  void rpc.ended.then(() => {
    isOver = true;
    clock.clearTimeout(timer);
  });
  wait();
}
