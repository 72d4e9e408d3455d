import type { Key } from 'node:readline';

/** The text being edited, and the cursor position in it. */
export interface Draft {
  readonly text: string;
  readonly cursor: number;
}

export function draftOf(text: string): Draft {
  return { text, cursor: text.length };
}

/** Inserts text at the cursor. */
export function insert({ text, cursor }: Draft, more: string): Draft {
  return {
    text: text.slice(0, cursor) + more + text.slice(cursor),
    cursor: cursor + more.length,
  };
}

/** Replaces the text between two positions. */
export function replace({ text }: Draft, from: number, to: number, by: string): Draft {
  return {
    text: text.slice(0, from) + by + text.slice(to),
    cursor: from + by.length,
  };
}

/** The start of the character before this position, which may be a surrogate pair. */
function before(text: string, at: number): number {
  const isPair = /[\udc00-\udfff]/.test(text[at - 1] ?? '') && /[\ud800-\udbff]/.test(text[at - 2] ?? '');
  return Math.max(0, at - (isPair ? 2 : 1));
}

function after(text: string, at: number): number {
  return Math.min(text.length, at + String.fromCodePoint(text.codePointAt(at) ?? 0).length);
}

function wordBefore(text: string, at: number): number {
  return text.slice(0, at).replace(/\S*\s*$/, '').length;
}

function wordAfter(text: string, at: number): number {
  return at + (/^\s*\S*/.exec(text.slice(at))?.[0].length ?? 0);
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

type Edit = (draft: Draft) => Draft;

function move(where: (text: string, at: number) => number): Edit {
  return ({ text, cursor }) => ({ text, cursor: where(text, cursor) });
}

function remove(where: (text: string, at: number) => number): Edit {
  return (draft) => {
    const other = where(draft.text, draft.cursor);
    return replace(draft, Math.min(other, draft.cursor), Math.max(other, draft.cursor), '');
  };
}

/** The editing keys of a shell. */
const EDITS: ReadonlyMap<string, Edit> = new Map([
  ['left', move(before)],
  ['ctrl-b', move(before)],
  ['right', move(after)],
  ['ctrl-f', move(after)],
  ['home', move(lineStart)],
  ['ctrl-a', move(lineStart)],
  ['end', move(lineEnd)],
  ['ctrl-e', move(lineEnd)],
  ['meta-b', move(wordBefore)],
  ['ctrl-left', move(wordBefore)],
  ['meta-f', move(wordAfter)],
  ['ctrl-right', move(wordAfter)],
  ['backspace', remove(before)],
  ['ctrl-h', remove(before)],
  ['delete', remove(after)],
  ['ctrl-w', remove(wordBefore)],
  ['meta-backspace', remove(wordBefore)],
  ['ctrl-u', remove(lineStart)],
  ['ctrl-k', remove(lineEnd)],
]);

/** Applies a key to the draft. Unknown keys change nothing. */
export function edit(draft: Draft, typed: string | undefined, { name = '', ctrl, meta }: Key): Draft {
  const known = EDITS.get(`${ctrl === true ? 'ctrl-' : meta === true ? 'meta-' : ''}${name}`);
  if (known !== undefined) return known(draft);
  const isText = typed !== undefined && ctrl !== true && meta !== true && !/^[\u0000-\u001f\u007f]/.test(typed);
  return isText ? insert(draft, typed) : draft;
}
