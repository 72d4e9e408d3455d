/**
 * A URI as a sequence of characters, each a code point. Equivalent spellings are equal here (RFC 3986, section 6.2.2.2): an unreserved or
 * non-ASCII character percent-encoded or not, and a raw character that is not allowed in URIs. Only a reserved character differs when it is
 * encoded; then {@link ENCODED} is added.
 */
export type Characters = Int32Array;

/** Added to the code point of an ASCII character that is encoded, or treated as encoded. */
const ENCODED = 0x20_0000;

const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/y;
const UNRESERVED = /[A-Za-z0-9\-._~]/;
const RESERVED = /[:/?#[\]@!$&'()*+,;=]/;

function ascii(of: (code: number, character: string) => number): Int32Array {
  return Int32Array.from({ length: 0x80 }, (_, code) => of(code, String.fromCharCode(code)));
}

/** For each ASCII code, its character when it is percent-encoded. */
const DECODED = /* @__PURE__ */ ascii((code, character) => (UNRESERVED.test(character) ? code : code + ENCODED));
/**
 * For each ASCII code, its character when it is raw. 0: control characters and the backslash (a path separator to some readers) are
 * rejected. Other disallowed characters are treated as if they were encoded.
 */
const RAW = /* @__PURE__ */ ascii((code, character) => {
  if (code < 0x20 || code === 0x7f || character === '\\') return 0;
  return UNRESERVED.test(character) || RESERVED.test(character) ? code : code + ENCODED;
});

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

/** The text of a sequence of escapes, or undefined if its bytes are not UTF-8. */
function decodeEscapes(run: string): string | undefined {
  try {
    return decodeURIComponent(run);
  } catch {
    return undefined;
  }
}

/**
 * Reads a URI, or part of one, in linear time. Undefined if it has an invalid escape, a control character, a backslash or a lone surrogate.
 */
export function readCharacters(text: string): Characters | undefined {
  const characters = new Int32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) as number;
    if (code === 0x25) {
      ESCAPES.lastIndex = at;
      const run = ESCAPES.exec(text)?.[0];
      const decoded = run === undefined ? undefined : decodeEscapes(run);
      if (run === undefined || decoded === undefined) return undefined;
      for (const character of decoded) {
        const point = character.codePointAt(0) as number;
        characters[count++] = point < 0x80 ? (DECODED[point] as number) : point;
      }
      at += run.length;
      continue;
    }
    const character = code < 0x80 ? (RAW[code] as number) : code;
    if (character === 0 || isSurrogate(character)) return undefined;
    characters[count++] = character;
    at += code > 0xffff ? 2 : 1;
  }
  return characters.subarray(0, count);
}

/** The decoded text of the characters from `start` up to `end`. */
export function textOf(characters: Characters, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at++) {
    const character = characters[at] as number;
    text += String.fromCodePoint(character >= ENCODED ? character - ENCODED : character);
  }
  return text;
}
