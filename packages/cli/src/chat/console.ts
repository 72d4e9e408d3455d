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

/** Takes over the terminal until it is closed. */
export class TerminalConsole implements Console {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly #interrupted: () => void;
  #isAsking = false;
  #ahead = draftOf('');
  #lastKey = -Infinity;

  /** `interrupted` is called for every Ctrl-C, also during a question. */
  constructor(input: ReadStream, terminal: WriteStream, interrupted: () => void) {
    this.#interrupted = interrupted;
    this.input = input;
    this.output = withDefaultSize(terminal);
    emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_MS } as never);
    input.on('keypress', this.#onKey);
    this.output.write(PASTE_ON);
    this.#hold();
  }

  columns(): number {
    return this.output.columns;
  }

  lines(lines: readonly string[]): void {
    this.output.write(lines.map((line) => `${wrapped(line, this.output.columns)}\n`).join(''));
  }

  async line(options: LineOptions): Promise<LineResult> {
    const result = await this.#asked(options.signal, (signal) => askLine(this, { ...options, signal }));
    if (result.outcome === 'aborted') this.output.write(UP);
    return result;
  }

  async choose<T extends string>(
    message: string,
    choices: readonly Choice<T>[],
    { initial, signal }: ChooseOptions<T> = {},
  ): Promise<T | undefined> {
    const answer = await this.#asked(signal, (inner) =>
      select<string>({
        message: printable(message),
        options: choices.map(safe),
        input: this.input,
        output: this.output,
        signal: inner,
        showInstructions: false,
        initialValue: initial,
      }),
    );
    return isCancel(answer) ? undefined : (answer as (typeof choices)[number]['value']);
  }

  async several(
    message: string,
    choices: readonly Choice<string>[],
    { initial = [], signal }: { readonly initial?: readonly string[]; readonly signal?: AbortSignal },
  ): Promise<string[] | undefined> {
    const answer = await this.#asked(signal, (inner) =>
      multiselect<string>({
        message: printable(message),
        options: choices.map(safe),
        initialValues: [...initial],
        required: false,
        input: this.input,
        output: this.output,
        signal: inner,
      }),
    );
    return isCancel(answer) ? undefined : answer;
  }

  typed(): string {
    const { text } = this.#ahead;
    this.#ahead = draftOf('');
    return text;
  }

  isTyping(): boolean {
    return performance.now() - this.#lastKey < TYPING_MS;
  }

  async secret(message: string, signal: AbortSignal): Promise<string | undefined> {
    const answer = await this.#asked(signal, (inner) =>
      password({ message: printable(message), input: this.input, output: this.output, signal: inner }),
    );
    return isCancel(answer) ? undefined : answer;
  }

  close(): void {
    this.input.off('keypress', this.#onKey);
    this.input.setRawMode(false);
    this.input.pause();
    this.output.write(PASTE_OFF + SHOW_CURSOR);
  }

  readonly #onKey = (typed: string | undefined, key: Key): void => {
    if (key.ctrl === true && key.name === 'c') this.#interrupted();
    if (this.#isAsking) return;
    this.#lastKey = performance.now();
    this.#ahead = edit(this.#ahead, typed, key);
  };

  /** In raw mode keys are not echoed, so that typing during an answer does not mix with its text. */
  #hold(): void {
    this.input.setRawMode(true);
    this.input.resume();
  }

  /**
   * Asks something. The library restores the terminal after each prompt but keeps listening to the signal, and would restore the terminal
   * again when that aborts later. So each prompt gets a signal of its own.
   */
  async #asked<T>(signal: AbortSignal | undefined, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const inner = new AbortController();
    const abort = (): void => inner.abort();
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    this.#isAsking = true;
    try {
      return await ask(inner.signal);
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#isAsking = false;
      // Keys pressed so far were meant for this question.
      this.#lastKey = -Infinity;
      this.#hold();
    }
  }
}
