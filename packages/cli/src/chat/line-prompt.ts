import type { Key } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { isCancel, Prompt } from '@clack/core';
import { type Draft, draftOf, edit, insert, replace } from './editor.ts';
import { cut, paint } from './paint.ts';

/** A completion at the cursor. */
export interface Suggestion {
  readonly label: string;
  readonly hint?: string;
  /** The completion replaces the text from here to the cursor. */
  readonly from: number;
  readonly insert: string;
  /** Enter accepts it even if the user has not moved to it. */
  readonly eager?: boolean;
  /** Accepting it with Enter also submits the line, because nothing has to be added. */
  readonly whole?: boolean;
}

export type Suggest = (draft: Draft, signal: AbortSignal) => readonly Suggestion[] | Promise<readonly Suggestion[]>;

/** The prompt sign before the input. */
const MARK = '› ';

export interface LineOptions {
  /** Lines above it. The caller makes them safe for a terminal. */
  readonly above?: readonly string[];
  readonly initial?: string;
  /** Previous inputs, the latest first. */
  readonly history?: readonly string[];
  readonly suggest?: Suggest;
  /** Returns the problem of the text, or undefined. */
  readonly check?: (text: string) => string | undefined;
  /** Shown while the text is empty. */
  readonly placeholder?: string;
  readonly signal?: AbortSignal;
}

/** `cancelled`: by Ctrl-C, Ctrl-D or Escape. `aborted`: by the signal. `text` is the input so far. */
export interface LineResult {
  readonly outcome: 'submitted' | 'cancelled' | 'aborted';
  readonly text: string;
}

const MAX_SHOWN = 8;

/** The parts of the terminal that a line prompt uses. */
interface Screen {
  readonly input: ReadStream;
  readonly output: WriteStream;
  columns(): number;
}

/** A line editor with a list of completions. It draws everything itself, so that nothing is shown unescaped. */
class LinePrompt extends Prompt<string> {
  draft: Draft;
  /** Set to stop drawing, so that other output can take its place. */
  hidden = false;
  readonly #options: LineOptions;
  readonly #columns: () => number;
  #list: readonly Suggestion[] = [];
  #chosen = 0;
  /** The user has moved to an entry of the list. */
  #hasMoved = false;
  #pasting = false;
  /** Enter accepted a completion that needs more input, so the line is not submitted. */
  #needsMore = false;
  #historyIndex = -1;
  #newDraft: Draft;
  #suggesting = new AbortController();

  constructor(options: LineOptions, console: Screen) {
    const { signal, check } = options;
    super(
      {
        input: console.input,
        output: console.output,
        signal,
        validate: check === undefined ? undefined : () => check(this.draft.text),
        render: () => this.#draw(),
      },
      false,
    );
    this.#options = options;
    this.#columns = () => console.columns();
    this.draft = draftOf(options.initial ?? '');
    this.#newDraft = this.draft;
    this.on('key', (typed, key) => this.#onKey(typed, key));
    this.on('finalize', () => {
      this.#suggesting.abort();
      this.value = this.draft.text;
    });
    this.#updateSuggestions();
  }

  protected override _shouldSubmit(): boolean {
    return !this.#pasting && !this.#needsMore;
  }

  hide(): void {
    this.hidden = true;
    this.#redraw();
  }

  /** The library draws only after a key; completions arrive later. */
  #redraw(): void {
    (this as unknown as { render(): void }).render();
  }

  #onKey(typed: string | undefined, key: Key): void {
    this.#needsMore = false;
    const { name } = key;
    if (name === 'paste-start' || name === 'paste-end') this.#pasting = name === 'paste-start';
    else if (this.#pasting)
      this.#setDraft(insert(this.draft, name === 'return' || name === 'enter' ? '\n' : (typed ?? '')));
    else if (name === 'escape') this.#escape(key);
    else if (key.ctrl === true && name === 'd') this.state = 'cancel';
    else if (name === 'return') this.#enter();
    else if (name === 'tab') this.#accept();
    else if (name === 'up' || name === 'down') this.#move(name === 'up' ? -1 : 1);
    else if (name === 'enter') this.#setDraft(insert(this.draft, '\n'));
    else this.#setDraft(edit(this.draft, typed, key));
  }

  /** Escape closes the list. In prompts without completions the library treats it as cancelling. */
  #escape(key: Key): void {
    if (this.#list.length === 0 && this.#options.suggest === undefined) return;
    key.name = '';
    key.sequence = '';
    this.#list = [];
  }

  #enter(): void {
    const chosen = this.#list[this.#chosen];
    if (chosen === undefined || !(this.#hasMoved || chosen.eager === true)) return;
    const isAlreadyTyped = this.draft.text.slice(chosen.from, this.draft.cursor).trimEnd() === chosen.insert.trimEnd();
    if (isAlreadyTyped) return;
    this.#accept();
    this.#needsMore = chosen.whole !== true;
  }

  #accept(): void {
    const chosen = this.#list[this.#chosen];
    if (chosen !== undefined) this.#setDraft(replace(this.draft, chosen.from, this.draft.cursor, chosen.insert));
  }

  /** Moves through the list; if it is empty, through the history. */
  #move(step: 1 | -1): void {
    if (this.#list.length > 0) {
      this.#chosen = (this.#chosen + step + this.#list.length) % this.#list.length;
      this.#hasMoved = true;
      return;
    }
    const { history = [] } = this.#options;
    const back = this.#historyIndex - step;
    if (back < -1 || back >= history.length) return;
    if (this.#historyIndex === -1) this.#newDraft = this.draft;
    this.#historyIndex = back;
    this.draft = back === -1 ? this.#newDraft : draftOf(history[back]!);
  }

  #setDraft(draft: Draft): void {
    const isSame = draft.text === this.draft.text && draft.cursor === this.draft.cursor;
    this.draft = draft;
    if (!isSame) this.#updateSuggestions();
  }

  #updateSuggestions(): void {
    this.#suggesting.abort();
    const asking = new AbortController();
    this.#suggesting = asking;
    const found = this.#options.suggest?.(this.draft, asking.signal) ?? [];
    if (!(found instanceof Promise)) return this.#setSuggestions(found);
    this.#setSuggestions([]);
    found.then(
      (list) => {
        if (asking.signal.aborted) return;
        this.#setSuggestions(list);
        if (this.state === 'active') this.#redraw();
      },
      () => {},
    );
  }

  #setSuggestions(list: readonly Suggestion[]): void {
    this.#list = list;
    this.#chosen = 0;
    this.#hasMoved = false;
  }

  #draw(): string {
    if (this.hidden) return '';
    const { above = [] } = this.#options;
    const isOver = this.state === 'submit' || this.state === 'cancel';
    const problem = this.state === 'error' ? [paint('yellow', this.error)] : [];
    return [
      ...above,
      paint('cyan', MARK) +
        (isOver ? paint(this.state === 'cancel' ? 'dim' : 'reset', this.draft.text) : this.#inputLine()),
      ...problem,
      ...(isOver ? [] : this.#suggestionLines()),
    ].join('\n');
  }

  #inputLine(): string {
    const { text, cursor } = this.draft;
    const { placeholder } = this.#options;
    if (text === '') return paint('inverse', ' ') + (placeholder === undefined ? '' : paint('dim', placeholder));
    const at = text.slice(cursor, cursor + 1);
    const under = at === '' || at === '\n' ? paint('inverse', ' ') + at : paint('inverse', at);
    return paint('reset', text.slice(0, cursor)) + under + paint('reset', text.slice(cursor + Math.max(1, at.length)));
  }

  #suggestionLines(): string[] {
    const first = Math.max(0, Math.min(this.#chosen - MAX_SHOWN + 1, this.#list.length - MAX_SHOWN));
    const room = this.#columns() - 4;
    const lines = this.#list.slice(first, first + MAX_SHOWN).map(({ label, hint }, index) => {
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
export async function askLine(console: Screen, options: LineOptions): Promise<LineResult> {
  const prompt = new LinePrompt(options, console);
  const { signal } = options;
  // The library does not erase its last drawing.
  const hide = (): void => prompt.hide();
  if (signal !== undefined) signal.addEventListener('abort', hide, { once: true });
  try {
    const answer = await prompt.prompt();
    const { text } = prompt.draft;
    if (signal?.aborted === true) return { outcome: 'aborted', text };
    return { outcome: isCancel(answer) ? 'cancelled' : 'submitted', text };
  } finally {
    signal?.removeEventListener('abort', hide);
  }
}
