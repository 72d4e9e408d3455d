import process from 'node:process';
import { type CommandLine, parsePort } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import type { VerbContext } from '../session/session.ts';
import { explained, openNamedTrace } from '../session/trace-file.ts';

/** `tenon serve <trace>`: serves the recorded responses of a trace. */
export async function serve(line: CommandLine, { screen, interrupt }: VerbContext): Promise<void> {
  if (line.target !== undefined) throw usage('serve takes a trace, not a server', 'tenon serve weather.mcptrace');
  const port = parsePort(line, 'http');
  const trace = await openNamedTrace(line);
  const session = line.value('session');
  const options = {
    session,
    onNote: (text: string): void => screen.warn(text),
  };
  const interrupted = new Promise<void>((resolve) => {
    interrupt.addEventListener('abort', () => resolve(), { once: true });
    if (interrupt.aborted) resolve();
  });
  const { serveTrace, serveTraceHttp } = await import('@tenon/inspector/trace');
  try {
    if (port === undefined) {
      if (process.stdin.isTTY === true && !line.given.has('quiet'))
        screen.line(`Serving ${oneLine(trace.file, 200)} on stdin and stdout: one JSON-RPC message per line`);
      await Promise.race([serveTrace(trace, { input: process.stdin, output: process.stdout }, options), interrupted]);
    } else {
      const served = await serveTraceHttp(trace, port, options).catch((error: unknown) => {
        if ((error as Error).name === 'ConversationError') throw error;
        const message = `Cannot serve on port ${port}: ${(error as Error).message}`;
        throw new Failure('usage', 'not_served', message, { blame: 'you' });
      });
      screen.line(`Serving ${oneLine(trace.file, 200)} at ${served.url}`);
      await interrupted;
      await served.close();
    }
  } catch (error) {
    throw explained(error);
  } finally {
    await trace.close();
  }
}
