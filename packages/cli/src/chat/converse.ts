import type { RunEvent, RunResult } from '@tenon/host';
import { Failure } from '../failure.ts';
import { watchCalls } from './call-lines.ts';
import { COMMANDS, OWN, titleOf } from './commands.ts';
import type { Console } from './console.ts';
import { cut, paint } from './paint.ts';
import type { Renderer } from './render.ts';
import { type Saved, savedSessions } from './sessions.ts';
import { slashIn } from './slash.ts';
import type { Stops } from './stops.ts';
import { suggestFor } from './suggest.ts';
import { createTalk, type Talk } from './talk.ts';
import type { Turns } from './turns.ts';
import type { Chat } from './types.ts';
import { promptArguments } from './use-prompt.ts';

/** The parts of a chat on a terminal. */
export interface Parts {
  readonly chat: Chat;
  readonly console: Console;
  readonly renderer: Renderer;
  readonly turns: Turns;
  readonly stops: Stops;
  /** Something is asked beside the line: it has the terminal until it is answered. */
  ask<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Asks something for what the person wants to do. Ctrl-C gives that up, and not the chat. */
const askMore = <T>({ ask, stops }: Parts, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  ask(stops.quit, async (signal) => {
    stops.writing(true);
    try {
      return await work(signal);
    } finally {
      stops.writing(false);
    }
  });

/** What went wrong, and what to do about it. */
const errorLines = (error: unknown): string[] => {
  const fix = error instanceof Failure ? error.details.fix : undefined;
  return [
    paint('red', cut(error instanceof Error ? error.message : String(error))),
    ...(fix === undefined ? [] : fix.split('\n').map((line) => `  ${cut(line.trim(), 1_000)}`)),
  ];
};

/** Lets the model answer, and shows it. */
const run = async (
  { chat, renderer, stops }: Parts,
  say: (options: { signal: AbortSignal; onEvent(event: RunEvent): void }) => Promise<RunResult>,
): Promise<void> => {
  const signal = stops.begin();
  const calls = watchCalls(chat.host);
  renderer.lines(['']);
  renderer.status('One moment. Ctrl-C stops it.');
  const onEvent = (event: RunEvent): void => {
    renderer.run(event);
    if (event.type === 'result') renderer.over(calls.over(event));
  };
  try {
    renderer.ended(await say({ signal, onEvent }));
  } catch (error) {
    renderer.status(undefined);
    renderer.lines(signal.aborted ? [paint('yellow', 'Stopped.')] : errorLines(error));
  } finally {
    calls.stop();
    stops.end();
  }
};

/** The end of an earlier conversation, so that one knows where one was. */
const earlier = ({ id, messages }: Saved): string[] => [
  paint('dim', `Going on with ${id}: ${titleOf(messages)} (${messages.length} messages)`),
];

const chooseSaved = async (parts: Parts): Promise<Saved | undefined> => {
  const { chat, console, renderer } = parts;
  const { saved, problems } = await savedSessions(chat.state, 20);
  renderer.lines(problems.map((problem) => paint('yellow', `! ${cut(problem, 1_000)}`)));
  if (saved.length === 0) renderer.lines([paint('dim', '  No conversation is kept yet.')]);
  if (saved.length === 0) return undefined;
  const choices = saved.map(({ id, messages }) => ({ value: id, label: titleOf(messages) || id, hint: id }));
  const id = await askMore(parts, (signal) => console.choose<string>('Which one?', choices, { signal }));
  return saved.find((one) => one.id === id);
};

/** What the person wrote is done. Gives the conversation to go on with; undefined: quit. */
const perform = async (text: string, talk: Talk, parts: Parts): Promise<Talk | undefined> => {
  const { chat, console, renderer } = parts;
  const { host, model, state } = chat;
  const slash = slashIn(text);
  if (slash === undefined) {
    await run(parts, (options) => talk.say(text, options));
    return talk;
  }
  const { name, rest } = slash;
  if (name === 'quit' || name === 'exit') return undefined;
  if (name === 'new') {
    renderer.lines([paint('dim', 'A new conversation.')]);
    return createTalk(chat);
  }
  if (name === 'resume') {
    const saved = await chooseSaved(parts);
    if (saved === undefined) return talk;
    renderer.lines(earlier(saved));
    return createTalk(chat, saved);
  }
  const command = COMMANDS.find((one) => one.name === name);
  const prompt = host.prompts().find((one) => one.name === name);
  if (command !== undefined) {
    const show = (lines: readonly string[]): void => renderer.lines(lines);
    await command.run({ host, state, session: talk.id, modelName: model.name, show }, rest);
  } else if (prompt === undefined)
    renderer.lines([paint('yellow', `There is no command /${cut(name, 100)}. /help lists them.`)]);
  else {
    const args = await askMore(parts, (signal) => promptArguments(console, host, prompt, rest, signal));
    if (args !== undefined) await run(parts, (options) => talk.use(name, args, options));
  }
  return talk;
};

/** Reads what the person writes and does it, until they have enough. */
export const converse = async (parts: Parts, before: Saved | undefined, words: readonly string[]): Promise<void> => {
  const { chat, console, turns, stops, renderer } = parts;
  const suggest = suggestFor(chat.host, [...COMMANDS, ...OWN]);
  const history: string[] = [];
  const first = [...words];
  let initial = '';
  let talk = createTalk(chat, before);
  if (before !== undefined) renderer.lines(earlier(before));
  const write = async (signal: AbortSignal) => {
    stops.writing(true);
    initial += console.typed();
    const line = await console.line({
      suggest,
      history,
      initial,
      empty: ' Say something, / for commands, @ for resources',
      signal: AbortSignal.any([signal, stops.quit]),
    });
    stops.writing(false);
    initial = line.how === 'stopped' ? line.text : '';
    return line.how === 'stopped' && !stops.quit.aborted ? undefined : line;
  };
  while (!stops.quit.aborted) {
    const said = first.shift();
    const { how, text } = said === undefined ? await turns.line(write) : { how: 'written', text: said };
    if (how === 'stopped' || (how === 'given-up' && text === '')) return;
    if (how === 'given-up' || text.trim() === '') continue;
    history.unshift(text);
    try {
      const next = await perform(text.trim(), talk, parts);
      if (next === undefined) return;
      talk = next;
    } catch (error) {
      renderer.lines(errorLines(error));
    }
  }
};
