/** The members to check, by name; below a name, the members of its value to check. */
export interface Members extends Map<string, Members> {}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** The number of characters of a string up to which a loop is quicker than the engine's search. */
const SHORT = 48;

/**
 * The name of a member that occurs more than once in a JSON text, among those to check; undefined if there is none. `JSON.parse` takes the
 * last of several members, and other programs the first. The text has to be valid JSON.
 *
 * @example repeatedMember('{"a":{"b":1,"b":2}}', new Map([['a', new Map([['b', new Map()]])]])) // 'b'
 */
export function repeatedMember(text: string, members: Members): string | undefined {
  const at = skipBlanks(text, 0);
  return text.charCodeAt(at) === OPEN_OBJECT ? new Scan(text, at).object(members) : undefined;
}

/**
 * The texts of the values of a JSON object, by name; for repeated names, the last one. Undefined if the text is not an object. Works for
 * any size and nesting. For text that is not valid JSON, some members may be missing or wrong.
 *
 * @example memberTexts('{"id":1,"result":{"a":[2]}}') // Map { 'id' => '1', 'result' => '{"a":[2]}' }
 */
export function memberTexts(text: string): Map<string, string> | undefined {
  const at = skipBlanks(text, 0);
  return text.charCodeAt(at) === OPEN_OBJECT ? new Scan(text, at).texts() : undefined;
}

/** A scan of a JSON text. */
class Scan {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** Scans the object that begins here; stops at a repeated member. */
  object(members: Members): string | undefined {
    const text = this.#text;
    let seen: Set<string> | undefined;
    let only: string | undefined;
    let at = skipBlanks(text, this.#at + 1);
    while (text.charCodeAt(at) === QUOTE) {
      const end = endOfString(text, at);
      const name = nameAt(text, at, end);
      // After the colon.
      this.#at = skipBlanks(text, skipBlanks(text, end + 1) + 1);
      const below = members.get(name);
      if (below !== undefined) {
        if (name === only || seen?.has(name) === true) return name;
        if (only === undefined) only = name;
        else (seen ??= new Set()).add(name);
      }
      if (below !== undefined && below.size > 0 && text.charCodeAt(this.#at) === OPEN_OBJECT) {
        const found = this.object(below);
        if (found !== undefined) return found;
      } else this.#value();
      at = skipBlanks(text, this.#at);
      if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
    }
    this.#at = at + 1;
    return undefined;
  }

  /** The texts of the values of the object that begins here. */
  texts(): Map<string, string> {
    const text = this.#text;
    const found = new Map<string, string>();
    let at = skipBlanks(text, this.#at + 1);
    while (text.charCodeAt(at) === QUOTE) {
      const end = endOfString(text, at);
      const begin = skipBlanks(text, skipBlanks(text, end + 1) + 1);
      this.#at = begin;
      this.#value();
      found.set(nameAt(text, at, end), text.slice(begin, this.#at).trimEnd());
      at = skipBlanks(text, this.#at);
      if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
    }
    return found;
  }

  /** Moves to the character after the value that begins here. */
  #value(): void {
    const text = this.#text;
    let depth = 0;
    for (let at = this.#at; at < text.length; at++) {
      switch (text.charCodeAt(at)) {
        case QUOTE:
          at = endOfString(text, at);
          if (depth > 0) continue;
          this.#at = at + 1;
          return;
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          depth++;
          continue;
        case COMMA:
          if (depth > 0) continue;
          this.#at = at;
          return;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          if (--depth > 0) continue;
          // A number or a keyword ends where the enclosing object does.
          this.#at = depth === 0 ? at + 1 : at;
          return;
      }
    }
    this.#at = text.length;
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= SPACE) at++;
  return at;
}

/** The name between two quotes, with escapes decoded. */
function nameAt(text: string, open: number, close: number): string {
  const name = text.slice(open + 1, close);
  if (!name.includes('\\')) return name;
  try {
    return JSON.parse(`"${name}"`) as string;
  } catch {
    return name;
  }
}

/** The closing quote of the string that opens here, or the end of the text. */
function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
    else if (at - open > SHORT) return endOfLongString(text, at);
  }
  return text.length;
}

function endOfLongString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
