import { type CommandLine, parseNumberOption } from '../command-line/command-line.ts';
import { explain } from '../session/explain.ts';
import { Failure } from '../failure/failure.ts';
import { createObserver, type Passed } from '../session/observer.ts';
import { commandOf } from '../command-line/server-command.ts';
import { parseRevision, type VerbContext } from '../session/session.ts';
import { watchTraffic } from '../session/traffic.ts';

/** How long to listen after the last message if no response is pending, in milliseconds. */
const QUIET_MS = 500;
/** How long to wait for responses to frames that are requests, in milliseconds. */
const ANSWER_MS = 10_000;

/** The id of a message, as JSON; undefined if the text is not a message of this kind. */
function idIn(text: string, kind: 'request' | 'response'): string | undefined {
  try {
    const { id, method } = JSON.parse(text) as { id?: unknown; method?: unknown };
    return id != null && (method !== undefined) === (kind === 'request') ? JSON.stringify(id) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Waits for the responses to all frames. Frames that are not requests may have no response, so after those it waits until nothing has
 * arrived for `quiet` milliseconds. Resolves with false if responses are missing after `most` milliseconds.
 */
function listen(quiet: number, most: number, signal: AbortSignal) {
  const expected = new Set<string>();
  // A frame that is not a request may cause any number of messages.
  let hasOtherFrames = false;
  let silence: NodeJS.Timeout | undefined;
  let finish: (complete: boolean) => void;
  const done = new Promise<boolean>((resolve) => (finish = resolve));
  const wait = (): void => {
    clearTimeout(silence);
    if (expected.size === 0) silence = setTimeout(() => finish(true), quiet);
  };
  signal.addEventListener('abort', () => finish(true), { once: true });
  return {
    expect(text: string): void {
      const id = idIn(text, 'request');
      if (id === undefined) hasOtherFrames = true;
      else expected.add(id);
    },
    received(text: string): void {
      const id = idIn(text, 'response');
      if (id !== undefined && expected.delete(id) && expected.size === 0 && !hasOtherFrames) finish(true);
      else wait();
    },
    end: () => finish(true),
    async done(): Promise<boolean> {
      wait();
      const limit = setTimeout(() => finish(expected.size === 0), most);
      try {
        return await done;
      } finally {
        clearTimeout(limit);
        clearTimeout(silence);
      }
    },
  };
}

/** Sends lines unchanged, valid or not, and prints each message that comes back. */
export async function sendFrames(line: CommandLine, context: VerbContext): Promise<void> {
  const { screen, interrupt } = context;
  const command = commandOf(line);
  const observer = createObserver();
  const traffic = watchTraffic(observer, screen, line.given.has('trace'));
  const { spawnChannel } = await import('tenon/node');
  const report = (kind: Passed['kind'], text: string): void => traffic.pass({ kind, at: performance.now(), text });
  const channel = spawnChannel({ ...command, stderr: (text) => report('stderr', text) });
  report('open', [command.command, ...(command.args ?? [])].join(' '));
  void channel.exited.then(({ code, signal }) =>
    report('exit', signal === null ? `exited with code ${code}` : `ended by ${signal}`),
  );

  const most = parseNumberOption(line, 'timeout') ?? ANSWER_MS;
  const answers = listen(parseNumberOption(line, 'wait') ?? QUIET_MS, most, interrupt);
  let listening = false;
  const pass = (entry: Passed): void => {
    traffic.pass(entry);
    if (!listening || entry.kind !== 'received') return;
    screen.result({ json: () => entry.text, text: () => entry.text });
    answers.received(entry.text);
  };
  let broken: unknown;
  let close = async (): Promise<void> => channel.close();
  try {
    if (line.given.has('bare')) {
      void (async () => {
        for await (const item of channel.incoming) {
          pass({
            kind: typeof item === 'string' ? 'received' : 'lost',
            at: performance.now(),
            text: typeof item === 'string' ? item : item.problem,
          });
        }
      })().catch((error: unknown) => {
        broken = error;
        answers.end();
      });
    } else {
      const { connect } = await import('tenon/client');
      const revision = await parseRevision(line);
      const client = await connect(channel, {
        revision,
        onTrace: pass,
        signal: interrupt,
        timeout: most,
      });
      close = () => client.close();
      void client.closed.then((reason) => {
        broken = reason;
        answers.end();
      });
    }
    listening = true;
    for (const frame of line.values('frame')) {
      answers.expect(frame);
      report('sent', frame);
      await channel.send(frame);
    }
    const complete = await answers.done();
    interrupt.throwIfAborted();
    if (broken !== undefined) throw broken;
    if (!complete)
      throw new Failure('timeout', 'timeout', `Not every request was answered within ${most} ms`, { blame: 'unknown' });
  } catch (error) {
    throw explain(error, observer);
  } finally {
    listening = false;
    await close();
    traffic.end();
  }
}
