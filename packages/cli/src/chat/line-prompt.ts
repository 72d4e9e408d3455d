import type { Key } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { isCancel, Prompt } from '@clack/core';
import { type Draft, draftOf, edit, insert, replace } from './editor.ts';
import { cut, paint } from './paint.ts';

/** Something that could be written at the cursor. */
export interface Suggestion {
  readonly label: string;
  readonly hint?: string;
  /** It replaces the text from here to the cursor. */
  readonly from: number;
  readonly insert: string;
  /** Enter takes it, also without having gone to it. */
  readonly eager?: boolean;
  /** Once it is taken with Enter there is nothing to add. */
  readonly whole?: boolean;
}

export type Suggest = (draft: Draft, signal: AbortSignal) => readonly Suggestion[] | Promise<readonly Suggestion[]>;

export interface LineOptions {
  /** What stands before the text. */
  readonly mark?: string;
  /** Lines above it: safe for a terminal already. */
  readonly above?: readonly string[];
  readonly initial?: string;
  /** What was written before, the last one first. */
  readonly history?: readonly string[];
  readonly suggest?: Suggest;
  /** What is wrong with the text, or undefined. */
  readonly check?: (text: string) => string | undefined;
  /** Shown while nothing is written. */
  readonly empty?: string;
  readonly signal?: AbortSignal;
}

/** `given-up`: Ctrl-C, Ctrl-D or Escape. `stopped`: the signal. The text is what was there until then. */
export interface LineResult {
  readonly how: 'written' | 'given-up' | 'stopped';
  readonly text: string;
}

const MOST_SHOWN = 8;

/** What a line needs of the terminal. */
interface Screen {
  readonly input: ReadStream;
  readonly output: WriteStream;
  columns(): number;
}

/** A text of the person, with a list of what could be written. All of it is drawn by us: nothing is shown unescaped. */
class LinePrompt extends Prompt<string> {
  draft: Draft;
  /** Draws nothing any more, so that something else can be written in its place. */
  hidden = false;
  readonly #options: LineOptions;
  readonly #columns: () => number;
  #list: readonly Suggestion[] = [];
  #chosen = 0;
  /** The person went to an entry of the list. */
  #went = false;
  #pasting = false;
  /** Enter took something that is not whole yet. */
  #goesOn = false;
  #back = -1;
  #kept: Draft;
  #asking = new AbortController();

  constructor(options: LineOptions, console: Screen) {
    const { signal, check } = options;
    super(
      {
        input: console.input,
        output: console.output,
        ...(signal === undefined ? {} : { signal }),
        ...(check === undefined ? {} : { validate: () => check(this.draft.text) }),
        render: () => this.#draw(),
      },
      false,
    );
    this.#options = options;
    this.#columns = () => console.columns();
    this.draft = draftOf(options.initial ?? '');
    this.#kept = this.draft;
    this.on('key', (typed, key) => this.#press(typed, key));
    this.on('finalize', () => {
      this.#asking.abort();
      this.value = this.draft.text;
    });
    this.#look();
  }

  protected override _shouldSubmit(): boolean {
    return !this.#pasting && !this.#goesOn;
  }

  hide(): void {
    this.hidden = true;
    this.#redraw();
  }

  /** The library draws after keys only; the list comes later. */
  #redraw(): void {
    (this as unknown as { render(): void }).render();
  }

  #press(typed: string | undefined, key: Key): void {
    this.#goesOn = false;
    const { name } = key;
    if (name === 'paste-start' || name === 'paste-end') this.#pasting = name === 'paste-start';
    else if (this.#pasting)
      this.#write(insert(this.draft, name === 'return' || name === 'enter' ? '\n' : (typed ?? '')));
    else if (name === 'escape') this.#escape(key);
    else if (key.ctrl === true && name === 'd') this.state = 'cancel';
    else if (name === 'return') this.#enter();
    else if (name === 'tab') this.#take();
    else if (name === 'up' || name === 'down') this.#go(name === 'up' ? -1 : 1);
    else if (name === 'enter') this.#write(insert(this.draft, '\n'));
    else this.#write(edit(this.draft, typed, key));
  }

  /** Escape closes the list. Without one the library takes it for giving up. */
  #escape(key: Key): void {
    if (this.#list.length === 0 && this.#options.suggest === undefined) return;
    key.name = '';
    key.sequence = '';
    this.#list = [];
  }

  #enter(): void {
    const chosen = this.#list[this.#chosen];
    if (chosen === undefined || !(this.#went || chosen.eager === true)) return;
    const isThere = this.draft.text.slice(chosen.from, this.draft.cursor).trimEnd() === chosen.insert.trimEnd();
    if (isThere) return;
    this.#take();
    this.#goesOn = chosen.whole !== true;
  }

  #take(): void {
    const chosen = this.#list[this.#chosen];
    if (chosen !== undefined) this.#write(replace(this.draft, chosen.from, this.draft.cursor, chosen.insert));
  }

  /** Through the list; without one, through what was written before. */
  #go(step: 1 | -1): void {
    if (this.#list.length > 0) {
      this.#chosen = (this.#chosen + step + this.#list.length) % this.#list.length;
      this.#went = true;
      return;
    }
    const { history = [] } = this.#options;
    const back = this.#back - step;
    if (back < -1 || back >= history.length) return;
    if (this.#back === -1) this.#kept = this.draft;
    this.#back = back;
    this.draft = back === -1 ? this.#kept : draftOf(history[back]!);
  }

  #write(draft: Draft): void {
    const isSame = draft.text === this.draft.text && draft.cursor === this.draft.cursor;
    this.draft = draft;
    if (!isSame) this.#look();
  }

  #look(): void {
    this.#asking.abort();
    const asking = new AbortController();
    this.#asking = asking;
    const found = this.#options.suggest?.(this.draft, asking.signal) ?? [];
    if (!(found instanceof Promise)) return this.#offer(found);
    this.#offer([]);
    found.then(
      (list) => {
        if (asking.signal.aborted) return;
        this.#offer(list);
        if (this.state === 'active') this.#redraw();
      },
      () => {},
    );
  }

  #offer(list: readonly Suggestion[]): void {
    this.#list = list;
    this.#chosen = 0;
    this.#went = false;
  }

  #draw(): string {
    if (this.hidden) return '';
    const { above = [], mark = '› ' } = this.#options;
    const isOver = this.state === 'submit' || this.state === 'cancel';
    const problem = this.state === 'error' ? [paint('yellow', this.error)] : [];
    return [
      ...above,
      paint('cyan', mark) +
        (isOver ? paint(this.state === 'cancel' ? 'dim' : 'reset', this.draft.text) : this.#written()),
      ...problem,
      ...(isOver ? [] : this.#listed()),
    ].join('\n');
  }

  #written(): string {
    const { text, cursor } = this.draft;
    const { empty } = this.#options;
    if (text === '') return paint('inverse', ' ') + (empty === undefined ? '' : paint('dim', empty));
    const at = text.slice(cursor, cursor + 1);
    const under = at === '' || at === '\n' ? paint('inverse', ' ') + at : paint('inverse', at);
    return paint('reset', text.slice(0, cursor)) + under + paint('reset', text.slice(cursor + Math.max(1, at.length)));
  }

  #listed(): string[] {
    const first = Math.max(0, Math.min(this.#chosen - MOST_SHOWN + 1, this.#list.length - MOST_SHOWN));
    const room = this.#columns() - 4;
    const lines = this.#list.slice(first, first + MOST_SHOWN).map(({ label, hint }, index) => {
      const isChosen = first + index === this.#chosen;
      const name = cut(label, room);
      const rest = room - name.length - 2;
      const about = hint === undefined || rest < 8 ? '' : `  ${paint('dim', cut(hint, rest).slice(0, rest))}`;
      return `${paint('cyan', isChosen ? '❯' : ' ')} ${isChosen ? paint('bold', name) : paint('reset', name)}${about}`;
    });
    const left = this.#list.length - lines.length;
    return left > 0 ? [...lines, paint('dim', `  ${left} more`)] : lines;
  }
}

/** Asks for a line of text. */
export const askLine = async (console: Screen, options: LineOptions): Promise<LineResult> => {
  const prompt = new LinePrompt(options, console);
  const { signal } = options;
  // The library leaves on the screen what it has drawn there.
  const hide = (): void => prompt.hide();
  if (signal !== undefined) signal.addEventListener('abort', hide, { once: true });
  try {
    const answer = await prompt.prompt();
    const { text } = prompt.draft;
    if (signal?.aborted === true) return { how: 'stopped', text };
    return { how: isCancel(answer) ? 'given-up' : 'written', text };
  } finally {
    signal?.removeEventListener('abort', hide);
  }
};
