// Text of a server inside source code. Whatever it contains, it remains a string or a comment.
import { escapeHidden, hiddenInText } from '@tenon/values/hidden';

/** The maximum text length of a comment, in UTF-16 units. */
const MAX_COMMENT = 2_000;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** A text as a string literal. Hidden characters are escaped, so that a reader sees everything that is in it. */
export function stringLiteral(text: string): string {
  // JSON escapes mean the same in TypeScript, and so do those of hidden characters.
  return escapeHidden(JSON.stringify(text));
}

/** The name of a member of an object type. */
export function memberName(name: string): string {
  return IDENTIFIER.test(name) ? name : stringLiteral(name);
}

/** The beginning of a text, without splitting a surrogate pair. */
function beginning(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * The lines of a text for a comment. It cannot end the comment, has no hidden characters, and contains no tags: those of a doc comment, or
 * those with which a comment directs the compiler.
 */
export function commentLines(text: string): string[] {
  const safe = escapeHidden(beginning(text, MAX_COMMENT).replaceAll(/\r\n?/g, '\n'), hiddenInText())
    .replaceAll('\t', '  ')
    .replaceAll('*/', String.raw`*\/`)
    // Inside a word it is an e-mail address.
    .replaceAll(/(?<![A-Za-z0-9.])@/g, String.raw`\@`);
  const lines = safe.split('\n').map((line) => line.trimEnd());
  const first = lines.findIndex((line) => line !== '');
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1);
}

/** A text for a comment on one line, shortened to `max` characters. */
export function commentText(text: string, max: number): string {
  return commentLines(beginning(text, max)).join(String.raw`\n`);
}

/** A doc comment with a line break after it; an empty string if there are no lines. */
export function docComment(lines: readonly string[], indent: string): string {
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]!.trimStart()} */\n`;
  const rows = lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`);
  return `${indent}/**\n${rows.join('')}${indent} */\n`;
}
