// The table headers of a TOML text, by its lexical rules (TOML 1.0): brackets in strings, arrays and comments do not count.

/** The header of a table, `[a.b]`, or of one in an array, `[[a.b]]`. */
export interface TomlHeader {
  readonly path: readonly string[];
  /** The offset of its line. */
  readonly offset: number;
}

/** The lexical elements of a value: strings of four kinds, comments, brackets. */
const PIECE = /"""(?:\\[\s\S]|[^\\])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}]/g;
const HEADER = /^[ \t]*\[{1,2}((?:[^\]"'\n]|"(?:\\.|[^"\\\n])*"|'[^'\n]*')+)\]/;
const KEY = /[\w-]+|"(?:\\.|[^"\\])*"|'[^']*'/g;

/** One part of a dotted key. */
function nameOf(part: string): string {
  if (part.startsWith("'")) return part.slice(1, -1);
  if (!part.startsWith('"')) return part;
  try {
    return JSON.parse(part) as string;
  } catch {
    // An escape that JSON does not have. Such a name is not found, so its server is not changed.
    return part;
  }
}

/** All headers, in the order of the text, which must be valid TOML. */
export function headersIn(text: string): TomlHeader[] {
  const headers: TomlHeader[] = [];
  for (let at = 0; at < text.length;) {
    const header = HEADER.exec(text.slice(at, lineEnd(text, at)));
    if (header !== null) headers.push({ offset: at, path: header[1]!.match(KEY)!.map(nameOf) });
    at = header === null ? endOfMember(text, at) : lineEnd(text, at) + 1;
  }
  return headers;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** The start of the line after a member, whose value can have several lines. */
function endOfMember(text: string, at: number): number {
  let last = lineEnd(text, at);
  if (!/["'#[\]{}]/.test(text.slice(at, last))) return last + 1;
  let depth = 0;
  PIECE.lastIndex = at;
  for (let piece = PIECE.exec(text); piece !== null && (depth > 0 || piece.index < last); piece = PIECE.exec(text)) {
    const [found] = piece;
    if (found === '[' || found === '{') depth++;
    else if (found === ']' || found === '}') depth--;
    last = Math.max(last, lineEnd(text, piece.index + found.length));
  }
  return last + 1;
}
