import type { CommandLine } from '../command-line.ts';
import { Failure, usage } from '../failure.ts';
import { oneLine } from '../printable.ts';
import { targetOf } from '../server-command.ts';
import type { World } from '../session.ts';
import { notWritten, unwrittenTrace } from '../trace-file.ts';
import { version } from '../version.ts';

const portGiven = (line: CommandLine): number | undefined => {
  const text = line.value('port');
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535 || Number(text) === 0)
    throw usage(`--port must be a port, not '${text}'`);
  return Number(text);
};

/** `tenon proxy <url>`: stands between clients and a server over HTTP, and writes down what passes, until Ctrl-C. */
export const proxy = async (line: CommandLine, { screen, interrupt }: World): Promise<void> => {
  const [, unwanted] = line.words;
  if (unwanted !== undefined) throw usage(`What is '${unwanted}'?`, 'tenon proxy -o weather.mcptrace <url>');
  if (line.target === undefined)
    throw usage('There is no server', 'Give its URL: tenon proxy https://weather.example/mcp');
  if (!/^https?:\/\//i.test(line.target[0] ?? ''))
    throw usage('proxy is for servers at a URL', 'For a command: tenon record -- <command>');
  const server = targetOf(line);
  if (!('url' in server)) throw usage('proxy is for servers at a URL');
  const port = portGiven(line);
  const { hostname } = new URL(server.url);
  const { createNewTrace, tapHttp } = await import('@tenon/inspector/trace');
  const failed = (error: unknown): void => {
    const cause = error instanceof Error ? error : new Error(String(error));
    screen.line(`tenon: recording stopped, the proxy goes on: ${cause.message}`);
    screen.unwritten(unwrittenTrace(trace.file, cause));
  };
  let trace: ReturnType<typeof createNewTrace>;
  try {
    trace = createNewTrace(line.value('output'), hostname, `tenon ${version()}`, { flushMs: 0, onFailure: failed });
  } catch (error) {
    throw notWritten(error);
  }
  try {
    const tap = await tapHttp({
      target: server.url,
      headers: server.headers,
      name: hostname,
      sink: trace,
      onFailure: failed,
      onNote: (text) => screen.warn(text),
      ...(port === undefined ? {} : { port }),
    }).catch((error: Error) => {
      throw new Failure('usage', 'not_listening', `The proxy cannot listen: ${error.message}`, { blame: 'you' });
    });
    screen.result({
      json: () => JSON.stringify({ url: tap.url, server: server.url, trace: trace.file }),
      text: () => `${tap.url} is ${oneLine(server.url, 200)}, recorded into ${trace.file}; Ctrl-C ends it`,
    });
    if (!interrupt.aborted)
      await new Promise<void>((resolve) => interrupt.addEventListener('abort', () => resolve(), { once: true }));
    await tap.close();
  } finally {
    trace.close();
  }
};
