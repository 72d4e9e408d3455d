import type { ReadStream, WriteStream } from 'node:tty';
import type { DecisionHandler, Host, Input } from '@tenon/host';
import type { CommandLine } from '../command-line/command-line.ts';
import type { Screen } from '../terminal/screen.ts';
import { serverLines } from './commands.ts';
import { type Console, TerminalConsole } from './console.ts';
import { runChatLoop } from './chat-loop.ts';
import { decideAt } from './decide.ts';
import { openChat } from './open.ts';
import { cut, paint, wholeText } from './paint.ts';
import { demoChatModel, findModel, noKey } from './providers.ts';
import { createRenderer } from './render.ts';
import { findResumed } from './resume.ts';
import { createInterrupts } from './interrupts.ts';
import { createProblemFilter } from './server-problems.ts';
import { createTurns } from './turns.ts';
import type { Chat, ChatModel } from './types.ts';

export interface TerminalOptions {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly screen: Screen;
  readonly interrupt: AbortSignal;
}

/** The model; without a key, the demo script if the user chooses it, else undefined. */
async function chooseModel(line: CommandLine, console: Console, quit: AbortSignal): Promise<ChatModel | undefined> {
  const found = await findModel(line.value('model'), process.env);
  if (found !== undefined) return found;
  const { message, details } = noKey();
  console.lines([
    paint('yellow', `${message}.`),
    ...(details.fix ?? '').split('\n').map((text) => `  ${text.trim()}`),
    '',
  ]);
  const answer = await console.choose(
    'Continue without a model?',
    [
      { value: 'demo', label: 'With the demo', hint: 'a script that calls the tools you name: no model' },
      { value: 'quit', label: 'Quit' },
    ],
    { signal: quit },
  );
  return answer === 'demo' ? demoChatModel() : undefined;
}

async function askInput(console: Console, input: Input, signal: AbortSignal): Promise<string | undefined> {
  const message = cut(input.description ?? input.id, 500);
  if (input.type === 'pickString')
    return console.choose<string>(
      message,
      input.options.map(({ label, value }) => ({ label, value })),
      { signal },
    );
  if (input.password) return console.secret(message, signal);
  const { outcome, text } = await console.line({
    above: [paint('bold', message)],
    initial: input.default ?? '',
    signal,
  });
  return outcome === 'submitted' ? text : undefined;
}

/** Shows events of the host outside the conversation. */
function watchHost(host: Host, tell: (lines: readonly string[]) => void): void {
  const newProblem = createProblemFilter();
  host.on((event) => {
    if (event.kind === 'problem') {
      const about = event.server === '' ? '' : `${cut(event.server, 100)}: `;
      tell([paint('yellow', `! ${about}${cut(event.message, 1_000)}`)]);
    }
    const found = event.kind === 'server' ? newProblem(event.server) : undefined;
    if (found !== undefined) {
      const { alias, state, problem } = found;
      const said = `${cut(alias, 100)}: ${cut(problem, 1_000)}`;
      if (state === 'failed') tell([paint('red', `✗ ${said}`)]);
      if (state === 'starting') tell([paint('yellow', `! ${said}`)]);
    }
    if (event.kind === 'resumed') {
      tell([
        paint('green', `✓ ${cut(event.server, 100)}: a call that waited for your decision is done`),
        ...wholeText(JSON.stringify(event.result, undefined, 2)).slice(0, 20),
      ]);
    }
  });
}

/** `tenon chat` on a terminal. */
export async function chatTerminal(
  line: CommandLine,
  { stdin, stdout, screen, interrupt }: TerminalOptions,
): Promise<void> {
  const turns = createTurns();
  const renderer = createRenderer(
    (text) => void stdout.write(text),
    () => stdout.columns || 80,
  );
  const stops = createInterrupts((text) => renderer.lines([paint('yellow', text)]));
  const console = new TerminalConsole(stdin, stdout, () => stops.interrupted());
  let chat: Chat | undefined;
  interrupt.addEventListener('abort', stops.leave);

  const ask = <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    turns.take(async () => {
      const either = AbortSignal.any([signal, stops.quit]);
      either.throwIfAborted();
      renderer.pause();
      try {
        return await work(either);
      } finally {
        renderer.resume();
      }
    });
  const decide: DecisionHandler = (item, { signal }) => ask(signal, (either) => decideAt(console, item, either));
  const tell = (lines: readonly string[]): void => {
    if (turns.writing) void turns.take(() => renderer.lines(lines));
    else renderer.lines(lines);
  };

  try {
    const model = await chooseModel(line, console, stops.quit);
    if (model === undefined) return;
    const input = (wanted: Input) => ask(stops.quit, (either) => askInput(console, wanted, either));
    chat = await openChat({ line, screen, model, decisionHandlers: () => ({ approve: decide, ask: decide, input }) });
    const { host, source, state } = chat;
    const { before, words } = await findResumed(line, state);
    stops.quit.addEventListener('abort', () => void host.close());
    console.lines([
      `${paint('bold', 'tenon chat')}  ${paint(model.script ? 'yellow' : 'dim', model.script ? `${cut(model.name, 100)}: a script, not a model` : model.name)}`,
      ...(source === undefined ? [] : [paint('dim', source)]),
    ]);
    renderer.status('Starting the servers.');
    await host.start();
    renderer.status(undefined);
    if (stops.quit.aborted) return;
    renderer.lines(
      host.servers().length === 0
        ? [
            ...serverLines(host, chat.off),
            paint('dim', 'There are no servers: name some in .mcp.json, or with --config.'),
          ]
        : serverLines(host, chat.off),
    );
    watchHost(host, tell);
    await runChatLoop({ chat, console, renderer, turns, stops, ask }, before, words);
  } finally {
    interrupt.removeEventListener('abort', stops.leave);
    renderer.status(undefined);
    await chat?.host.close();
    console.close();
  }
}
