// The tokens of SQL, as SQLite's tokenizer finds them (sqlite.org/lang.html, sqlite.org/lang_comment.html).

export interface Token {
  /** `quoted`: an identifier in quotes. */
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'variable' | 'symbol';
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** How many parentheses are open around it. */
  readonly depth: number;
}

/** SQL that cannot be split into tokens. The message is for the caller. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
}

/** A comment may be unterminated at the end; everything else in delimiters has to be closed. */
const PARTS =
  /(?<space>[ \t\n\f\r]+|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$))|(?<string>[xX]?'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|(?<number>(?:\d|\.\d)[\w.]*)|(?<variable>\?\d*|[:@#$][\w$\u0080-\uffff]+)|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|(?<symbol>[^'"`[])/y;

/** Splits SQL into tokens, without comments and white space. Throws a `SqlError` if a quote is not closed. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let at = 0;
  while (at < sql.length) {
    PARTS.lastIndex = at;
    const groups = PARTS.exec(sql)?.groups;
    if (groups === undefined) throw new SqlError(`A quote is not closed: ${JSON.stringify(sql.slice(at, at + 40))}`);
    const [kind, text] = Object.entries(groups).find(([, part]) => part !== undefined)! as [
      Token['kind'] | 'space',
      string,
    ];
    if (text === ')') depth--;
    if (kind !== 'space') tokens.push({ kind, text, start: at, end: at + text.length, depth });
    if (text === '(') depth++;
    at += text.length;
  }
  return tokens;
}
