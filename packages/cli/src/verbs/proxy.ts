import { type CommandLine, parsePort } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import { targetOf } from '../command-line/server-command.ts';
import type { VerbContext } from '../session/session.ts';
import { traceCreationFailure, traceWriteFailure } from '../session/trace-file.ts';
import { version } from '../version.ts';

/** `tenon proxy <url>`: records the traffic between clients and a server over HTTP, until Ctrl-C. */
export async function proxy(line: CommandLine, { screen, interrupt }: VerbContext): Promise<void> {
  const [, unwanted] = line.words;
  if (unwanted !== undefined) throw usage(`Unexpected argument '${unwanted}'`, 'tenon proxy -o weather.mcptrace <url>');
  if (line.target === undefined)
    throw usage('No server is given', 'Give its URL: tenon proxy https://weather.example/mcp');
  if (!/^https?:\/\//i.test(line.target[0] ?? ''))
    throw usage('proxy is for servers at a URL', 'For a command: tenon record -- <command>');
  const server = targetOf(line);
  if (!('url' in server)) throw usage('proxy is for servers at a URL');
  const port = parsePort(line, 'port');
  const { hostname } = new URL(server.url);
  const { createNewTrace, tapHttp } = await import('@tenon/inspector/trace');
  const failed = (error: unknown): void => {
    const cause = error instanceof Error ? error : new Error(String(error));
    screen.line(`tenon: recording stopped, the proxy goes on: ${cause.message}`);
    screen.reportLater(traceWriteFailure(trace.file, cause));
  };
  let trace: ReturnType<typeof createNewTrace>;
  try {
    trace = createNewTrace(line.value('output'), hostname, `tenon ${version()}`, { flushMs: 0, onFailure: failed });
  } catch (error) {
    throw traceCreationFailure(error);
  }
  try {
    const tap = await tapHttp({
      target: server.url,
      headers: server.headers,
      name: hostname,
      sink: trace,
      onFailure: failed,
      onNote: (text) => screen.warn(text),
      port,
    }).catch((error: Error) => {
      throw new Failure('usage', 'not_listening', `The proxy cannot listen: ${error.message}`, { blame: 'you' });
    });
    screen.result({
      json: () => JSON.stringify({ url: tap.url, server: server.url, trace: trace.file }),
      text: () => `${tap.url} forwards to ${oneLine(server.url, 200)}, recorded in ${trace.file}; Ctrl-C stops it`,
    });
    if (!interrupt.aborted)
      await new Promise<void>((resolve) => interrupt.addEventListener('abort', () => resolve(), { once: true }));
    await tap.close();
  } finally {
    trace.close();
  }
}
