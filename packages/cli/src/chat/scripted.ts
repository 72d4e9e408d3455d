import type { Host, HostEvent, RunEvent, RunResult, ServerView } from '@tenon/host';
import { decodeUtf8 } from '@tenon/values/utf8';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { oneLine, printable, printableJson } from '../terminal/printable.ts';
import type { Screen, Sink } from '../terminal/screen.ts';
import { decideByFile, readAnswers } from './answers.ts';
import { type CompletedCall, watchCalls } from './call-lines.ts';
import { openChat } from './open.ts';
import { findModel, noKey } from './providers.ts';
import { findResumed } from './resume.ts';
import { senderFor } from './sender.ts';
import { EMPTY_ANSWER, detectEmptyAnswer } from './empty-answer.ts';
import { createConversation, type Conversation } from './conversation.ts';
import { createProblemFilter } from './server-problems.ts';
import type { Chat } from './types.ts';

/** The input and output of a chat without a terminal. */
export interface Pipes {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Sink;
  readonly screen: Screen;
  readonly interrupt: AbortSignal;
}

/** The output of a chat without a terminal. */
interface Report {
  began(conversation: Conversation, chat: Chat): void;
  said(text: string): void;
  run(event: RunEvent): void;
  over(call: CompletedCall): void;
  host(event: HostEvent): void;
  ended(): void;
}

const MAX_LENGTH = 300;

function callText({ tool, server, revision, ms, isError }: CompletedCall): string {
  return [
    `${isError ? 'failed' : 'called'} ${tool}`,
    server,
    revision,
    ms === undefined ? undefined : `${Math.round(ms)} ms`,
  ]
    .filter((part) => part !== undefined)
    .join('  ');
}

/** Writes each event as a line of JSON. */
function jsonReport({ stdout }: Pipes): Report {
  const line = (event: object): void => {
    const json = JSON.stringify(event);
    stdout.write(`${stdout.isTTY === true ? printableJson(json) : json}\n`);
  };
  const isEmptyAnswer = detectEmptyAnswer();
  return {
    began: ({ id }, { host, model, source }) =>
      line({ type: 'chat', session: id, model: model.name, script: model.script, source, servers: host.servers() }),
    said: (text) => line({ type: 'said', text }),
    run: (event) => line(isEmptyAnswer(event) ? { ...event, empty: true } : event),
    over: () => {},
    host(event) {
      if (event.kind === 'decided') line({ type: 'decided', ...event.record });
      if (event.kind === 'called' || event.kind === 'problem' || event.kind === 'resumed') {
        const { kind, ...rest } = event;
        line({ type: kind, ...rest });
      }
    },
    ended: () => {},
  };
}

/** Writes the answers on stdout, everything else on stderr. */
function textReport({ stdout, screen }: Pipes): Report {
  let last = '\n';
  const isEmptyAnswer = detectEmptyAnswer();
  const write = (text: string): void => {
    if (text === '') return;
    stdout.write(stdout.isTTY === true ? printable(text) : text);
    last = text;
  };
  return {
    began: () => {},
    said: () => {},
    run(event) {
      if (event.type === 'text') write(event.text);
      if (event.type === 'call')
        screen.line(oneLine(`calling ${event.tool} ${JSON.stringify(event.arguments)}`, MAX_LENGTH));
      if (event.type === 'progress') {
        const { tool, progress, total, message } = event;
        screen.progress(`${tool} ${progress}${total === undefined ? '' : `/${total}`} ${message ?? ''}`);
      }
      if (isEmptyAnswer(event)) screen.warn(EMPTY_ANSWER);
    },
    over: (call) => screen.line(oneLine(callText(call), MAX_LENGTH)),
    host(event) {
      if (event.kind === 'problem') screen.warn(`${event.server === '' ? '' : `${event.server}: `}${event.message}`);
    },
    ended: () => write(last.endsWith('\n') ? '' : '\n'),
  };
}

/** The failure of a run that did not complete. */
function failureOf({ end, reason = end }: RunResult, signal: AbortSignal): Failure | undefined {
  if (end === 'done') return undefined;
  if (signal.reason instanceof Failure) return signal.reason;
  if (end === 'model-error') return new Failure('unreachable', 'model_error', reason, { blame: 'unknown' });
  if (end === 'cancelled') return new Failure('interrupted', 'interrupted', 'Interrupted');
  return new Failure('timeout', 'not_done', reason, { blame: 'unknown' });
}

function decodeLine(pieces: readonly Buffer[]): string {
  const text = decodeUtf8(Buffer.concat(pieces));
  if (text === undefined) throw usage('A line on stdin is not UTF-8', 'Nothing of it was sent. Send it as UTF-8.');
  return text.replace(/\r$/, '');
}

/** The lines of a stream. A line that is not UTF-8 is a usage failure, because a repaired line would be another message. */
async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  for await (const chunk of stream) {
    let rest = Buffer.from(chunk as string | Buffer);
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      yield decodeLine([...pieces, rest.subarray(0, end)]);
      pieces = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) pieces.push(rest);
  }
  if (pieces.length > 0) yield decodeLine(pieces);
}

/** The messages to send: the words of the command line, or else the lines of stdin. */
async function* promptsOf(words: readonly string[], stdin: NodeJS.ReadableStream): AsyncGenerator<string> {
  if (words.length > 0) return yield* words;
  for await (const line of linesOf(stdin)) if (line.trim() !== '') yield line;
}

async function say(
  text: string,
  conversation: Conversation,
  report: Report,
  signal: AbortSignal,
  host: Host,
): Promise<void> {
  const speak = senderFor(text, conversation, host);
  const calls = watchCalls(host);
  report.said(text);
  try {
    const onEvent = (event: RunEvent): void => {
      report.run(event);
      if (event.type === 'result') report.over(calls.over(event));
    };
    const result = await speak({ signal, onEvent });
    report.ended();
    const failure = failureOf(result, signal);
    if (failure !== undefined) throw failure;
  } finally {
    calls.stop();
  }
}

/** Warns about servers that are not available, now and later. */
function watchServers(host: Host, screen: Screen): void {
  const newProblem = createProblemFilter();
  const look = (server: ServerView): void => {
    const found = newProblem(server);
    if (found !== undefined) screen.warn(`The server '${found.alias}' is not available: ${found.problem}`);
  };
  host.servers().forEach(look);
  host.on((event) => event.kind === 'server' && look(event.server));
}

/** `tenon chat` without a terminal: sends the given messages, decides by the file of `--answers`, and ends. */
export async function chatScripted(line: CommandLine, pipes: Pipes): Promise<void> {
  const { stdin, screen, interrupt } = pipes;
  const answers = readAnswers(line.value('answers'));
  const model = await findModel(line.value('model'), process.env);
  if (model === undefined) throw noKey();
  const denied = (message: string): void => screen.warn(message);
  const decisionHandlers = (host: () => Host, servers: readonly string[]) =>
    decideByFile({ answers, servers, host, denied });
  const chat = await openChat({ line, screen, model, decisionHandlers });
  for (const { alias, path } of chat.off) screen.line(oneLine(`${alias} is turned off, by ${path}`, MAX_LENGTH));
  const { host, state } = chat;
  const report = (line.given.has('json') ? jsonReport : textReport)(pipes);
  const close = (): void => void host.close();
  interrupt.addEventListener('abort', close);
  host.on((event) => report.host(event));
  try {
    interrupt.throwIfAborted();
    const { before, words } = await findResumed(line, state);
    await host.start();
    interrupt.throwIfAborted();
    watchServers(host, screen);
    const conversation = createConversation(chat, before);
    report.began(conversation, chat);
    let said = 0;
    for await (const text of promptsOf(words, stdin)) {
      await say(text, conversation, report, interrupt, host);
      said++;
    }
    if (said === 0) throw usage('There is no message to send', 'Give messages as arguments, or as lines on stdin.');
  } finally {
    interrupt.removeEventListener('abort', close);
    await host.close();
  }
}
