import { emitKeypressEvents, type Key } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { isCancel, multiselect, password, select } from '@clack/prompts';
import { oneLine, printable } from '../printable.ts';
import { draftOf, edit } from './editor.ts';
import { askLine, type LineOptions, type LineResult } from './line-prompt.ts';
import { measured } from './measured.ts';
import { cut } from './paint.ts';

/** Something to choose. */
export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

export interface ChooseOptions<T> {
  readonly initial?: T;
  readonly signal?: AbortSignal;
}

/** The terminal of the person. */
export interface Console {
  readonly input: ReadStream;
  readonly output: WriteStream;
  columns(): number;
  /** Writes lines that are safe for a terminal already. */
  lines(lines: readonly string[]): void;
  line(options: LineOptions): Promise<LineResult>;
  /** Undefined: the person gave up, or the signal did. */
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
  /** What was typed while nothing was asked. It is given once. */
  typed(): string;
  /** Is somebody in the middle of typing, who may not have seen yet that something is asked? */
  isTyping(): boolean;
  /** A text that is not shown while it is written. */
  secret(message: string, signal: AbortSignal): Promise<string | undefined>;
  /** Gives the terminal back as it was. */
  close(): void;
}

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
const SHOW_CURSOR = '\u001b[?25h';
/** The library closes a prompt with an empty line where it drew nothing any more. */
const UP = '\u001b[1A';
/** How long a lone Escape may be the beginning of something else, in milliseconds. */
const ESCAPE_MS = 50;
/** Who has pressed a key so shortly before is typing, in milliseconds. */
const TYPING_MS = 1_500;

const safe = <T>({ value, label, hint }: Choice<T>) => ({
  value,
  label: cut(label, 200),
  ...(hint === undefined ? {} : { hint: oneLine(hint, 200) }),
});

/** Takes the terminal over until it is closed. `interrupted` is called for every Ctrl-C, also while something is asked. */
export const openConsole = (input: ReadStream, terminal: WriteStream, interrupted: () => void): Console => {
  const output = measured(terminal);
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
  // Keys come as they are pressed, and are not shown: who types while an answer is written does not write into it.
  const hold = (): void => {
    input.setRawMode(true);
    input.resume();
  };
  input.on('keypress', onKey);
  output.write(PASTE_ON);
  hold();

  /**
   * Asks something. The library gives the terminal back after each prompt, and goes on listening to the signal: when it aborts later,
   * it would give the terminal back once more. So it gets one that ends with the prompt.
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
      // What was typed until now was meant for this.
      lastKey = -Infinity;
      hold();
    }
  };

  const self: Console = {
    input,
    output,
    columns: () => output.columns,
    lines: (lines) => void output.write(lines.map((line) => `${line}\n`).join('')),
    async line(options) {
      const result = await asked(options.signal, (signal) => askLine(self, { ...options, signal }));
      if (result.how === 'stopped') output.write(UP);
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
          ...(initial === undefined ? {} : { initialValue: initial }),
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
};
