import { emitKeypressEvents, type Key } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { isCancel, multiselect, password, select } from '@clack/prompts';
import { oneLine, printable } from '../terminal/printable.ts';
import { draftOf, edit } from './editor.ts';
import { askLine, type LineOptions, type LineResult } from './line-prompt.ts';
import { withDefaultSize } from './default-size.ts';
import { cut } from './paint.ts';
import { wrapped } from './wrapped.ts';

/** An option to choose. */
export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

export interface ChooseOptions<T> {
  readonly initial?: T;
  readonly signal?: AbortSignal;
}

/** The user's terminal. */
export interface Console {
  readonly input: ReadStream;
  readonly output: WriteStream;
  columns(): number;
  /** Writes lines, wrapped between words. The caller makes them safe for a terminal. */
  lines(lines: readonly string[]): void;
  line(options: LineOptions): Promise<LineResult>;
  /** Undefined: cancelled by the user or the signal. */
  choose<T extends string>(
    message: string,
    choices: readonly Choice<T>[],
    options?: ChooseOptions<T>,
  ): Promise<T | undefined>;
  several(
    message: string,
    choices: readonly Choice<string>[],
    options: { readonly initial?: readonly string[]; readonly signal?: AbortSignal },
  ): Promise<string[] | undefined>;
  /** Takes the text that was typed while nothing was asked. */
  typed(): string;
  /** Whether the user was typing just now, and may not have seen the question yet. */
  isTyping(): boolean;
  /** Asks for a text that is not shown while it is typed. */
  secret(message: string, signal: AbortSignal): Promise<string | undefined>;
  /** Restores the terminal. */
  close(): void;
}

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
const SHOW_CURSOR = '\u001b[?25h';
/** Undoes the empty line with which the library closes a hidden prompt. */
const UP = '\u001b[1A';
/** How long a lone Escape may still be the start of an escape sequence, in milliseconds. */
const ESCAPE_MS = 50;
/** How long after the last key the user counts as typing, in milliseconds. */
const TYPING_MS = 1_500;

function safe<T>({ value, label, hint }: Choice<T>) {
  return {
    value,
    label: cut(label, 200),
    hint: hint === undefined ? undefined : oneLine(hint, 200),
  };
}

/** Takes over the terminal until it is closed. `interrupted` is called for every Ctrl-C, also during a question. */
export function openConsole(input: ReadStream, terminal: WriteStream, interrupted: () => void): Console {
  const output = withDefaultSize(terminal);
  emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_MS } as never);
  let isAsking = false;
  let ahead = draftOf('');
  let lastKey = -Infinity;
  const onKey = (typed: string | undefined, key: Key): void => {
    if (key.ctrl === true && key.name === 'c') interrupted();
    if (isAsking) return;
    lastKey = performance.now();
    ahead = edit(ahead, typed, key);
  };
  // In raw mode keys are not echoed, so that typing during an answer does not mix with its text.
  const hold = (): void => {
    input.setRawMode(true);
    input.resume();
  };
  input.on('keypress', onKey);
  output.write(PASTE_ON);
  hold();

  /**
   * Asks something. The library restores the terminal after each prompt but keeps listening to the signal, and would restore the terminal
   * again when that aborts later. So each prompt gets a signal of its own.
   */
  const asked = async <T>(signal: AbortSignal | undefined, ask: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const inner = new AbortController();
    const abort = (): void => inner.abort();
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    isAsking = true;
    try {
      return await ask(inner.signal);
    } finally {
      signal?.removeEventListener('abort', abort);
      isAsking = false;
      // Keys pressed so far were meant for this question.
      lastKey = -Infinity;
      hold();
    }
  };

  const self: Console = {
    input,
    output,
    columns: () => output.columns,
    lines: (lines) => void output.write(lines.map((line) => `${wrapped(line, output.columns)}\n`).join('')),
    async line(options) {
      const result = await asked(options.signal, (signal) => askLine(self, { ...options, signal }));
      if (result.outcome === 'aborted') output.write(UP);
      return result;
    },
    async choose(message, choices, { initial, signal } = {}) {
      const answer = await asked(signal, (inner) =>
        select<string>({
          message: printable(message),
          options: choices.map(safe),
          input,
          output,
          signal: inner,
          showInstructions: false,
          initialValue: initial,
        }),
      );
      return isCancel(answer) ? undefined : (answer as (typeof choices)[number]['value']);
    },
    async several(message, choices, { initial = [], signal }) {
      const answer = await asked(signal, (inner) =>
        multiselect<string>({
          message: printable(message),
          options: choices.map(safe),
          initialValues: [...initial],
          required: false,
          input,
          output,
          signal: inner,
        }),
      );
      return isCancel(answer) ? undefined : answer;
    },
    typed() {
      const { text } = ahead;
      ahead = draftOf('');
      return text;
    },
    isTyping: () => performance.now() - lastKey < TYPING_MS,
    async secret(message, signal) {
      const answer = await asked(signal, (inner) =>
        password({ message: printable(message), input, output, signal: inner }),
      );
      return isCancel(answer) ? undefined : answer;
    },
    close() {
      input.off('keypress', onKey);
      input.setRawMode(false);
      input.pause();
      output.write(PASTE_OFF + SHOW_CURSOR);
    },
  };
  return self;
}
