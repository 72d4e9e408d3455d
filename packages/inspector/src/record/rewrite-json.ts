/** A primitive value in a JSON text. */
export interface Leaf {
  readonly type: 'string' | 'word';
  /** The decoded string; a number or a word as it is written. */
  readonly value: string;
  /** The name of its member, or of the member whose array contains it. Undefined for names. */
  readonly name: string | undefined;
  readonly isName: boolean;
  /** The names of the members around it, outermost first. Arrays add none. */
  path(): readonly string[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
const DELIMITERS = ',:]}[{"';

function endOfString(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (at !== -1) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
    at = text.indexOf('"', at + 1);
  }
  return text.length;
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && !DELIMITERS.includes(text[at]!) && !isSpace(text.charCodeAt(at))) at++;
  return at;
}

function stringOf(literal: string): string {
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}

function nextSign(text: string, from: number): string {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return text[at] ?? '';
}

/**
 * Replaces strings, numbers and words of a JSON text by other JSON text, which `replace` returns. Everything else stays exactly
 * as it was written. Expects text that `JSON.parse` accepts, and returns such text.
 */
export function rewriteJson(text: string, replace: (leaf: Leaf) => string | undefined): string {
  const parts: string[] = [];
  /** The member names of the open arrays and objects. */
  const open: (string | undefined)[] = [];
  /** Whether each of them is an array. */
  const inArray: boolean[] = [];
  let name: string | undefined;
  let kept = 0;

  /** An element of an array has the name of the array, which is in the list already. */
  const path = (): string[] =>
    [...open, name].filter(
      (each, at, all): each is string => each !== undefined && !(inArray[at - 1] && all[at - 1] === each),
    );

  const put = (from: number, to: number, json: string | undefined): void => {
    if (json === undefined) return;
    parts.push(text.slice(kept, from), json);
    kept = to;
  };

  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    const sign = text[at]!;
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const value = stringOf(text.slice(at, end));
      const isName = nextSign(text, end) === ':';
      put(at, end, replace({ type: 'string', value, name: isName ? undefined : name, isName, path }));
      if (isName) name = value;
      at = end;
    } else if (sign === '{' || sign === '[') {
      open.push(name);
      inArray.push(sign === '[');
      // Elements of an array keep its name; members of an object have names of their own.
      if (sign === '{') name = undefined;
      at++;
    } else if (sign === '}' || sign === ']') {
      name = open.pop();
      inArray.pop();
      at++;
    } else if (sign === ',' || sign === ':' || isSpace(code)) at++;
    else {
      const end = endOfWord(text, at);
      put(at, end, replace({ type: 'word', value: text.slice(at, end), name, isName: false, path }));
      at = end;
    }
  }
  return kept === 0 ? text : parts.join('') + text.slice(kept);
}
