import { isNumber } from '../../../src/values/exact-json.ts';

// JSON that is edited as values and sent as text. Numbers that JavaScript would change or respell are represented by marked
// strings, so that 9007199254740993 stays 9007199254740993.

/** It cannot be typed, and JSON texts that contain it are rejected. */
const MARK = '\u0000#';

/** A JSON text contains the character that this page uses as its mark. */
export class UnmarkableError extends Error {
  override readonly name = 'UnmarkableError';
  constructor() {
    super('The arguments contain the character U+0000, which a form cannot show');
  }
}

/** The representation of a typed number: the number itself if it is written the same, otherwise its marked text. */
export function exactNumber(text: string): number | string {
  return String(Number(text)) === text ? Number(text) : MARK + text;
}

/** The text of a marked number. */
function markedText(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith(MARK)) return undefined;
  const text = value.slice(MARK.length);
  return isNumber(text) ? text : undefined;
}

/** The digits of a number, for display. Undefined for any other value. */
export function numberText(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : markedText(value);
}

/** Strings first, so that digits within them are not matched as numbers. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;

/** Parses JSON for editing. Throws a `SyntaxError`, or an `UnmarkableError`. */
export function readExact(text: string): unknown {
  JSON.parse(text);
  if (text.includes(String.raw`\u0000`)) throw new UnmarkableError();
  const marked = text.replace(TOKENS, (token) => {
    if (token.startsWith('"')) return token;
    const value = exactNumber(token);
    return typeof value === 'number' ? token : JSON.stringify(value);
  });
  return JSON.parse(marked);
}

/**
 * The JSON of an edited value. Undefined members are left out; undefined items become null, so that the others keep their
 * positions.
 */
export function writeExact(value: unknown, indent = ''): string {
  return write(value, indent, '') ?? 'null';
}

function write(value: unknown, indent: string, before: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) return markedText(value) ?? JSON.stringify(value) ?? 'null';
  const within = before + indent;
  const parts = Array.isArray(value)
    ? value.map((item) => write(item, indent, within) ?? 'null')
    : Object.entries(value).flatMap(([name, member]) => {
        const text = write(member, indent, within);
        return text === undefined ? [] : [`${JSON.stringify(name)}:${indent === '' ? '' : ' '}${text}`];
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  const line = indent === '' ? '' : `\n${within}`;
  const end = indent === '' ? '' : `\n${before}`;
  return `${open}${line}${parts.join(`,${line}`)}${end}${close}`;
}

/** The value for a validator: every number is a number, with the precision of JavaScript. */
export function plain(value: unknown): unknown {
  const text = markedText(value);
  if (text !== undefined) return Number(text);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : plain(item)));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, plain(member)]])),
  );
}

/** The same JSON without spaces between its tokens. Strings and numbers stay unchanged. Expects valid JSON. */
export function compact(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/gs, (token) => (token.startsWith('"') ? token : ''));
}

/** Why a text is not JSON. Undefined: it is. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
