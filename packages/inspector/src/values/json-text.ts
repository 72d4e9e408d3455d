// JSON as text: split and formatted without parsing numbers, so that text of a server is shown unchanged. All functions expect
// text that `JSON.parse` accepts.

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function skipSpace(text: string, at: number): number {
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The position after the string that opens at `open`. */
function afterString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const sign = text[at];
    if (sign === '\\') at++;
    else if (sign === '"') return at + 1;
  }
  return text.length;
}

/** The position after a number, `true`, `false` or `null`. */
function afterWord(text: string, at: number): number {
  while (at < text.length && !',]}'.includes(text[at]!) && !isSpace(text.charCodeAt(at))) at++;
  return at;
}

function afterValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return afterString(text, start);
  if (first !== '{' && first !== '[') return afterWord(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') at = afterString(text, at) - 1;
    else if (sign === '{' || sign === '[') depth++;
    else if ((sign === '}' || sign === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

/**
 * The text of a member of an object, or undefined if there is no such member. If several have the same name, it is the last one, as with
 * `JSON.parse`. Expects valid JSON.
 *
 * @example
 * ```ts
 * import { memberText } from '@tenon/inspector/json';
 *
 * memberText('{"id":1.0,"size":12345678901234567890}', 'size'); // '12345678901234567890'
 * ```
 */
export function memberText(text: string, name: string): string | undefined {
  let at = skipSpace(text, 0);
  if (text[at] !== '{') return undefined;
  let found: string | undefined;
  at = skipSpace(text, at + 1);
  while (text[at] === '"') {
    const nameEnd = afterString(text, at);
    const isIt = JSON.parse(text.slice(at, nameEnd)) === name;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = afterValue(text, start);
    if (isIt) found = text.slice(start, end);
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return found;
}

/** The nesting depth of arrays and objects in the text. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') at = afterString(text, at) - 1;
    else if (sign === '{' || sign === '[') deepest = Math.max(deepest, ++depth);
    else if (sign === '}' || sign === ']') depth--;
  }
  return deepest;
}

/**
 * All numbers of a JSON text, as they are written. Expects valid JSON.
 *
 * @example
 * ```ts
 * import { numbersIn } from '@tenon/inspector/json';
 *
 * [...numbersIn('{"a":1.0,"b":["2",-3e5]}')]; // ['1.0', '-3e5']
 * ```
 */
export function* numbersIn(text: string): Generator<string, void, undefined> {
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') at = afterString(text, at) - 1;
    else if (sign === '-' || (sign >= '0' && sign <= '9')) {
      const end = afterWord(text, at);
      yield text.slice(at, end);
      at = end - 1;
    }
  }
}

/** The deepest indentation: a text of 50,000 nested brackets would otherwise have gigabytes of spaces. */
const MAX_INDENT = 100;

/**
 * The same JSON formatted for people: two spaces per level, strings and numbers unchanged. Expects valid JSON.
 *
 * @example
 * ```ts
 * import { prettyJson } from '@tenon/inspector/json';
 *
 * prettyJson('{"size":12345678901234567890}'); // '{\n  "size": 12345678901234567890\n}'
 * ```
 */
export function prettyJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  const newLine = (): void => void parts.push('\n', '  '.repeat(Math.min(depth, MAX_INDENT)));
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const sign = text[at]!;
    if (sign === '{' || sign === '[') {
      const next = skipSpace(text, at + 1);
      const empty = text[next] === '}' || text[next] === ']';
      parts.push(empty ? sign + text[next]! : sign);
      at = empty ? next + 1 : at + 1;
      if (empty) continue;
      depth++;
      newLine();
    } else if (sign === '}' || sign === ']') {
      depth--;
      newLine();
      parts.push(sign);
      at++;
    } else if (sign === ',' || sign === ':') {
      parts.push(sign === ',' ? sign : ': ');
      at++;
      if (sign === ',') newLine();
    } else {
      const end = sign === '"' ? afterString(text, at) : afterWord(text, at);
      parts.push(text.slice(at, end));
      at = end;
    }
  }
  return parts.join('');
}

/** The elements of an array, each as it is written. Undefined: the text is not an array. */
export function elementTexts(text: string): string[] | undefined {
  let at = skipSpace(text, 0);
  if (text[at] !== '[') return undefined;
  const found: string[] = [];
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] !== ']') {
    const end = afterValue(text, at);
    found.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return found;
}

/** The members of an object in order: name, and text of the value. Undefined: the text is not an object. */
export function memberTexts(text: string): [name: string, value: string][] | undefined {
  let at = skipSpace(text, 0);
  if (text[at] !== '{') return undefined;
  const found: [string, string][] = [];
  at = skipSpace(text, at + 1);
  while (text[at] === '"') {
    const nameEnd = afterString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = afterValue(text, start);
    found.push([name, text.slice(start, end)]);
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return found;
}

/** The text of the value at a JSON Pointer (RFC 6901). Undefined: it does not exist. */
export function valueTextAt(text: string, pointer: string): string | undefined {
  if (pointer === '') return text.trim();
  if (!pointer.startsWith('/')) return undefined;
  let left: string | undefined = text;
  for (const part of pointer.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const elements: string[] | undefined = elementTexts(left);
    left =
      elements === undefined
        ? memberText(left, name)
        : /^(?:0|[1-9]\d*)$/.test(name)
          ? elements[Number(name)]
          : undefined;
    if (left === undefined) return undefined;
  }
  return left.trim();
}
