import type { RunEvent, RunResult } from '@tenon/host';
import { Failure } from '../failure/failure.ts';
import { watchCalls } from './call-lines.ts';
import { COMMANDS, OWN, titleOf } from './commands.ts';
import type { Console } from './console.ts';
import { historyLines } from './history.ts';
import { cut, paint } from './paint.ts';
import type { Renderer } from './render.ts';
import { type SavedConversation, savedSessions } from './sessions.ts';
import { slashIn } from './slash.ts';
import type { Interrupts } from './interrupts.ts';
import { suggestFor } from './suggest.ts';
import { createConversation, type Conversation } from './conversation.ts';
import type { Turns } from './turns.ts';
import { nearest } from '@tenon/values/nearest';
import type { Chat } from './types.ts';
import { promptArguments } from './use-prompt.ts';
import { counted } from '@tenon/values/counted';

/** The parts of a chat on a terminal. */
export interface Parts {
  readonly chat: Chat;
  readonly console: Console;
  readonly renderer: Renderer;
  readonly turns: Turns;
  readonly stops: Interrupts;
  /** Runs work that has the terminal to itself until it is done, for questions outside the input line. */
  ask<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Asks for something that a command of the user needs. Ctrl-C cancels the question, not the chat. */
function askMore<T>({ ask, stops }: Parts, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return ask(stops.quit, async (signal) => {
    stops.writing(true);
    try {
      return await work(signal);
    } finally {
      stops.writing(false);
    }
  });
}

/** The message of an error, and what to do about it. */
function errorLines(error: unknown): string[] {
  const fix = error instanceof Failure ? error.details.fix : undefined;
  return [
    paint('red', cut(error instanceof Error ? error.message : String(error))),
    ...(fix === undefined ? [] : fix.split('\n').map((line) => `  ${cut(line.trim(), 1_000)}`)),
  ];
}

/** Runs the model, and shows its answer. */
async function run(
  { chat, renderer, stops }: Parts,
  say: (options: { signal: AbortSignal; onEvent(event: RunEvent): void }) => Promise<RunResult>,
): Promise<void> {
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
}

/** Says which conversation is resumed, and shows its end. */
function resumedLines({ id, messages }: SavedConversation, { console }: Parts): string[] {
  return [
    paint('dim', `Resuming ${id}: ${titleOf(messages)} (${counted(messages.length, 'message')})`),
    ...historyLines(messages, () => console.columns()),
  ];
}

async function chooseSaved(parts: Parts): Promise<SavedConversation | undefined> {
  const { chat, console, renderer } = parts;
  const { saved, problems } = await savedSessions(chat.state, 20);
  renderer.lines(problems.map((problem) => paint('yellow', `! ${cut(problem, 1_000)}`)));
  if (saved.length === 0) renderer.lines([paint('dim', '  There are no saved conversations.')]);
  if (saved.length === 0) return undefined;
  const choices = saved.map(({ id, messages }) => ({ value: id, label: titleOf(messages) || id, hint: id }));
  const id = await askMore(parts, (signal) => console.choose<string>('Which one?', choices, { signal }));
  return saved.find((one) => one.id === id);
}

/** Carries out the user's input. Returns the conversation to continue with; undefined to quit. */
async function perform(text: string, conversation: Conversation, parts: Parts): Promise<Conversation | undefined> {
  const { chat, console, renderer } = parts;
  const { host, model, roots, state } = chat;
  const slash = slashIn(text);
  if (slash === undefined) {
    await run(parts, (options) => conversation.say(text, options));
    return conversation;
  }
  const { name, rest } = slash;
  if (name === 'quit' || name === 'exit') return undefined;
  if (name === 'new') {
    renderer.lines([paint('dim', 'A new conversation.')]);
    return createConversation(chat);
  }
  if (name === 'resume') {
    const saved = await chooseSaved(parts);
    if (saved === undefined) return conversation;
    renderer.lines(resumedLines(saved, parts));
    return createConversation(chat, saved);
  }
  const command = COMMANDS.find((one) => one.name === name);
  const prompt = host.prompts().find((one) => one.name === name);
  if (command !== undefined) {
    const show = (lines: readonly string[]): void => renderer.lines(lines);
    await command.run(
      { host, state, session: conversation.id, modelName: model.name, roots, off: chat.off, show },
      rest,
    );
  } else if (prompt === undefined) {
    const near = nearest(
      name,
      [...COMMANDS, ...OWN, ...host.prompts()].map((each) => each.name),
    );
    const hint = near === undefined ? '' : ` Did you mean /${cut(near, 100)}?`;
    renderer.lines([paint('yellow', `There is no command /${cut(name, 100)}.${hint} /help lists them.`)]);
  } else {
    const args = await askMore(parts, (signal) => promptArguments(console, host, prompt, rest, signal));
    if (args !== undefined) await run(parts, (options) => conversation.use(name, args, options));
  }
  return conversation;
}

/** The main loop: reads the user's input and carries it out, until they quit. */
export async function runChatLoop(
  parts: Parts,
  before: SavedConversation | undefined,
  words: readonly string[],
): Promise<void> {
  const { chat, console, turns, stops, renderer } = parts;
  const suggest = suggestFor(chat.host, [...COMMANDS, ...OWN]);
  const history: string[] = [];
  const first = [...words];
  let initial = '';
  let conversation = createConversation(chat, before);
  if (before !== undefined) renderer.lines(resumedLines(before, parts));
  const write = async (signal: AbortSignal) => {
    stops.writing(true);
    initial += console.typed();
    const line = await console.line({
      suggest,
      history,
      initial,
      placeholder: ' Type a message, / for commands, @ for resources',
      signal: AbortSignal.any([signal, stops.quit]),
    });
    stops.writing(false);
    initial = line.outcome === 'aborted' ? line.text : '';
    return line.outcome === 'aborted' && !stops.quit.aborted ? undefined : line;
  };
  while (!stops.quit.aborted) {
    const said = first.shift();
    const { outcome, text } = said === undefined ? await turns.line(write) : { outcome: 'submitted', text: said };
    if (outcome === 'aborted' || (outcome === 'cancelled' && text === '')) return;
    if (outcome === 'cancelled' || text.trim() === '') continue;
    history.unshift(text);
    try {
      const next = await perform(text.trim(), conversation, parts);
      if (next === undefined) return;
      conversation = next;
    } catch (error) {
      renderer.lines(errorLines(error));
    }
  }
}
