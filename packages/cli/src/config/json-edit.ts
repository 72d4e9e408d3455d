// Edits of JSON as text: one member is inserted, replaced or removed, and every other byte is kept, including comments.
import type { createScanner, Node } from 'jsonc-parser';
import { endOfLine, indentAt } from './document.ts';

/** A text, and the scanner of the parser for it. */
export interface JsonSource {
  readonly text: string;
  readonly createScanner: typeof createScanner;
}

// The token kinds of jsonc-parser, whose enum does not exist at run time.
const COMMA = 5;
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const LINE_BREAK = 14;
const TRIVIA = 15;

interface Token {
  readonly kind: number;
  readonly start: number;
  readonly end: number;
}

/** The tokens from an offset, with white space and comments. */
function* tokensFrom({ text, createScanner: scan }: JsonSource, offset: number): Generator<Token> {
  const scanner = scan(text, false);
  scanner.setPosition(offset);
  for (let kind: number = scanner.scan(); ; kind = scanner.scan()) {
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    yield { kind, start, end };
    if (end >= text.length || end === start) return;
  }
}

/** The offset of the comma after a member; undefined without one. */
function commaAfter(source: JsonSource, member: Node): number | undefined {
  for (const { kind, start } of tokensFrom(source, member.offset + member.length)) {
    if (kind === COMMA) return start;
    if (![LINE_COMMENT, BLOCK_COMMENT, LINE_BREAK, TRIVIA].includes(kind)) return undefined;
  }
  return undefined;
}

/** The end of the line after an offset, before its line break, if only spaces and comments are in between; undefined otherwise. */
function endOfTrivia(source: JsonSource, offset: number): number | undefined {
  for (const { kind, start } of tokensFrom(source, offset)) {
    if (kind === LINE_BREAK) return start;
    if (![LINE_COMMENT, BLOCK_COMMENT, TRIVIA].includes(kind)) return undefined;
  }
  return undefined;
}

/** The indentation unit that the text uses. */
function unitOf(text: string): string {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return indent.startsWith('\t') ? '\t' : indent;
}

/** A value on several lines, with the given indentation. */
function onLines(text: string, value: unknown, indent: string): string {
  const eol = endOfLine(text);
  return JSON.stringify(value, undefined, unitOf(text)).replaceAll('\n', `${eol}${indent}`);
}

/** A value on one line, spaced like the line. */
function onOneLine(value: unknown, isSpaced: boolean): string {
  if (!isSpaced) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => onOneLine(item, true)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${onOneLine(item, true)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Whether the members of an object are on separate lines. */
function isOnLines(text: string, object: Node): boolean {
  const [first] = object.children ?? [];
  return text.slice(object.offset, first?.offset ?? endOf(object)).includes('\n');
}

function spliced(text: string, edits: readonly (readonly [from: number, to: number, text: string])[]): string {
  return [...edits]
    .sort(([a], [b]) => b - a)
    .reduce((now, [from, to, inserted]) => now.slice(0, from) + inserted + now.slice(to), text);
}

/** Inserts the first member of an object. */
function insertFirst({ text }: JsonSource, object: Node, name: string, value: unknown): string {
  const inner = text.slice(object.offset + 1, endOf(object) - 1);
  const eol = endOfLine(text);
  const base = indentAt(text, object.offset);
  const indent = `${base}${unitOf(text)}`;
  // Comments inside are kept before the new member.
  const kept = inner.trimEnd();
  const isMinified = !text.trim().includes('\n') && text.trim() !== '{}';
  const member = isMinified
    ? `${kept}${JSON.stringify(name)}:${JSON.stringify(value)}`
    : `${kept}${eol}${indent}${JSON.stringify(name)}: ${onLines(text, value, indent)}${eol}${base}`;
  const changed = spliced(text, [[object.offset + 1, endOf(object) - 1, member]]);
  return text.trim() === '{}' && !changed.endsWith('\n') ? `${changed}${eol}` : changed;
}

/** Inserts a member at the end of an object, after the comment on the line of the last one. */
export function insertMember(source: JsonSource, object: Node, name: string, value: unknown): string {
  const { text } = source;
  const last = object.children?.at(-1);
  if (last === undefined) return insertFirst(source, object, name, value);
  const comma = commaAfter(source, last);
  const key = JSON.stringify(name);
  const after = comma === undefined ? endOf(last) : comma + 1;
  const missing = [endOf(last), endOf(last), ','] as const;
  const trailing = comma === undefined ? '' : ',';
  if (!isOnLines(text, object)) {
    const isSpaced = /^\{\s/.test(text.slice(object.offset)) || /[:,]\s/.test(text.slice(object.offset, endOf(last)));
    const member = `${isSpaced ? ' ' : ''}${key}:${isSpaced ? ' ' : ''}${onOneLine(value, isSpaced)}${trailing}`;
    return spliced(text, [[after, after, `${comma === undefined ? ',' : ''}${member}`]]);
  }
  const indent = indentAt(text, last.offset);
  const member = `${endOfLine(text)}${indent}${key}: ${onLines(text, value, indent)}${trailing}`;
  const place = endOfTrivia(source, after) ?? after;
  return place === after && comma === undefined
    ? spliced(text, [[after, after, `,${member}`]])
    : spliced(text, [[place, place, member], ...(comma === undefined ? [missing] : [])]);
}

/** Longer values are not written on one line. */
const MAX_LINE = 120;

/** Replaces the value of a member. A value on one line stays on one line, if it fits. */
export function replaceValue({ text }: JsonSource, node: Node, value: unknown): string {
  const short = onOneLine(value, /\s/.test(text.charAt(node.offset - 1)));
  const isLine = !text.slice(node.offset, endOf(node)).includes('\n') && short.length <= MAX_LINE;
  return spliced(text, [
    [node.offset, endOf(node), isLine ? short : onLines(text, value, indentAt(text, node.offset))],
  ]);
}

/** Removes a member, with the comment after it on its line. */
export function removeMember(source: JsonSource, object: Node, member: Node): string {
  const { text } = source;
  const all = object.children ?? [];
  const index = all.indexOf(member);
  const [before, next] = [all[index - 1], all[index + 1]];
  const comma = commaAfter(source, member);
  const after = comma === undefined ? endOf(member) : comma + 1;
  const lineStart = text.lastIndexOf('\n', member.offset - 1) + 1;
  // A comment before it on its line belongs to it.
  const isFirstOnLine = /^\s*(?:\/\*[^]*?\*\/\s*)*$/.test(text.slice(lineStart, member.offset));
  const lineEnd = endOfTrivia(source, after);
  // The last member of a strict file must not be followed by a comma.
  const priorComma =
    next === undefined && comma === undefined && before !== undefined ? commaAfter(source, before) : undefined;
  const prior = priorComma === undefined ? [] : [[priorComma, priorComma + 1, ''] as const];
  let removed: string;
  if (isFirstOnLine && lineEnd !== undefined) {
    const past = lineEnd + (text.startsWith('\r\n', lineEnd) ? 2 : 1);
    removed = spliced(text, [[lineStart, past, ''], ...prior]);
  } else if (next !== undefined && !text.slice(after, next.offset).includes('\n'))
    removed = spliced(text, [[member.offset, next.offset, '']]);
  else {
    const behind = before === undefined ? object.offset + 1 : (commaAfter(source, before) ?? endOf(before) - 1) + 1;
    // Comments on other lines belong to other members.
    const isOthers = /\n[^]*\S|\S[^]*\n/.test(text.slice(behind, member.offset));
    const start = before === undefined || isOthers ? member.offset : behind;
    removed = spliced(text, [[start, after, ''], ...prior]);
  }
  return all.length === 1 ? collapsed(removed, object.offset) : removed;
}

/** An object without members on one line, if it contains nothing else. */
function collapsed(text: string, offset: number): string {
  return text.slice(0, offset) + text.slice(offset).replace(/^\{\s+\}/, '{}');
}
