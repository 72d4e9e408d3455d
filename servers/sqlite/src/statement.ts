import { isWellFormed } from '@tenon/values/utf8';
import { SqlError, type Token, tokensOf } from './tokens.ts';

/** One statement of SQL. */
export interface Statement {
  /** The text without comments and semicolons around it. */
  readonly sql: string;
  /** The first word in upper case, of the explained statement if there is an `EXPLAIN`. */
  readonly verb: string;
  readonly isExplained: boolean;
  readonly tokens: readonly Token[];
}

const MAX_DEPTH = 1_000;

function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.text.toUpperCase());
}

/** The position of the verb: after `EXPLAIN` and `EXPLAIN QUERY PLAN`. */
function verbAt(tokens: readonly Token[]): number {
  if (!isWord(tokens[0], 'EXPLAIN')) return 0;
  return isWord(tokens[1], 'QUERY') && isWord(tokens[2], 'PLAN') ? 3 : 1;
}

function checkParameters(tokens: readonly Token[], given: number): void {
  const variables = tokens.filter(({ kind }) => kind === 'variable').map(({ text }) => text);
  const other = variables.find((text) => text !== '?');
  if (other !== undefined) throw new SqlError(`Write ? instead of ${other} for each value in params`);
  // SQLite would use NULL for a missing value.
  if (variables.length !== given)
    throw new SqlError(`The statement has ${variables.length} placeholders (?), but params has ${given} values`);
}

/** Parses a text with exactly one statement. Throws a `SqlError` with a message for the caller. */
export function parseStatement(text: string, parameters: number): Statement {
  // SQLite would ignore everything after it.
  if (text.includes('\0')) throw new SqlError('A query must not contain NUL characters');
  if (!isWellFormed(text)) throw new SqlError('The query has half of a character in it (a lone surrogate)');
  const tokens = tokensOf(text);
  while (tokens.at(-1)?.text === ';') tokens.pop();
  const [first] = tokens;
  if (first === undefined) throw new SqlError('The query contains no statement');
  if (tokens.some(({ depth }) => depth > MAX_DEPTH)) throw new SqlError('Too many nested parentheses');
  const at = verbAt(tokens);
  const verb = tokens[at]?.kind === 'word' ? tokens[at].text.toUpperCase() : '';
  // The statements of a trigger end with semicolons. SQLite finds its end.
  const isTrigger = verb === 'CREATE' && tokens.some((token) => isWord(token, 'TRIGGER'));
  if (!isTrigger && tokens.some(({ kind, text: symbol }) => kind === 'symbol' && symbol === ';'))
    throw new SqlError('Only one statement is allowed in a call: send the others in calls of their own');
  checkParameters(tokens, parameters);
  return { sql: text.slice(first.start, tokens.at(-1)!.end), verb, isExplained: at > 0, tokens };
}

const READS = new Set(['SELECT', 'WITH', 'VALUES']);
const WRITES = new Set([
  'INSERT',
  'REPLACE',
  'UPDATE',
  'DELETE',
  'WITH',
  'CREATE',
  'DROP',
  'ALTER',
  'REINDEX',
  'ANALYZE',
]);

/** Why statements that start with these words are refused everywhere. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['PRAGMA', 'PRAGMA is not allowed: use list_tables and describe_table, or SELECT * FROM pragma_table_info(?)'],
  ['ATTACH', 'Other database files cannot be attached'],
  ['DETACH', 'Other database files cannot be attached or detached'],
  ['VACUUM', 'VACUUM is not allowed, because it can write other files'],
  ...['BEGIN', 'COMMIT', 'END', 'ROLLBACK', 'SAVEPOINT', 'RELEASE'].map(
    (word) => [word, `${word} is not allowed: every call is a transaction of its own`] as const,
  ),
]);

function refuse({ verb }: Statement, otherwise: string): never {
  throw new SqlError(REFUSED.get(verb) ?? otherwise);
}

/** Throws a `SqlError` if this is not a statement that only reads. A `WITH` may still write: SQLite refuses that. */
export function checkReads(statement: Statement): void {
  if (!READS.has(statement.verb)) refuse(statement, 'Only SELECT queries are allowed for read_query');
}

/** Throws a `SqlError` if this is not a statement that write_query may run. */
export function checkWrites(statement: Statement): void {
  const { verb, tokens, isExplained } = statement;
  if (isExplained || (READS.has(verb) && verb !== 'WITH'))
    refuse(statement, 'SELECT queries are not allowed for write_query: use read_query');
  if (!WRITES.has(verb))
    refuse(
      statement,
      `write_query does not run ${verb === '' ? 'this' : verb}: it takes INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, REINDEX or ANALYZE`,
    );
  if (verb === 'CREATE' && isWord(tokens[1], 'TEMP', 'TEMPORARY'))
    throw new SqlError('Temporary objects are not allowed: they would be gone after the call');
  if (verb === 'CREATE' && isWord(tokens[1], 'VIRTUAL')) throw new SqlError('Virtual tables cannot be created');
  if (verb !== 'CREATE' && tokens.some((token) => token.depth === 0 && isWord(token, 'RETURNING')))
    throw new SqlError('RETURNING is not supported: read the rows with read_query afterwards');
}

/** Throws a `SqlError` if this is not a `CREATE TABLE`. */
export function checkCreatesTable(statement: Statement): void {
  checkWrites(statement);
  const { verb, tokens } = statement;
  if (verb !== 'CREATE' || !isWord(tokens[1], 'TABLE')) throw new SqlError('Only CREATE TABLE statements are allowed');
}

/** Words in conditions that are not names. */
const OPERATORS = [
  'SELECT',
  'WHERE',
  'AND',
  'OR',
  'NOT',
  'TRUE',
  'FALSE',
  'NULL',
  'IS',
  'IN',
  'LIKE',
  'BETWEEN',
  'ISNULL',
  'NOTNULL',
];

/** Whether a condition limits the rows: it names something that is not a constant. */
function hasCondition(tokens: readonly Token[]): boolean {
  const from = tokens.findIndex((token) => token.depth === 0 && isWord(token, 'WHERE'));
  if (from === -1) return false;
  return tokens
    .slice(from)
    .some((token) => token.kind === 'quoted' || (token.kind === 'word' && !isWord(token, ...OPERATORS)));
}

/**
 * What a statement destroys, to ask the user about; undefined if it destroys nothing obvious. This helps against mistakes. It is no barrier:
 * a condition can be true for every row.
 */
export function destructionBy({ verb, tokens }: Statement): string | undefined {
  if (verb === 'DROP')
    return `drops ${isWord(tokens[1], 'TABLE') ? 'a table with all its rows' : `a part of the database (${tokens[1]?.text ?? ''})`}`;
  if (verb === 'ALTER')
    return tokens.some((token) => isWord(token, 'DROP')) ? 'drops a column with its values' : undefined;
  if (verb === 'CREATE')
    return tokens.some((token) => isWord(token, 'TRIGGER'))
      ? 'creates a trigger, whose changes are made later without a question'
      : undefined;
  if (hasCondition(tokens)) return undefined;
  // A name before AS may be a keyword, so every word counts: WITH replace AS (…) DELETE FROM …
  const at = (word: string) =>
    tokens.some((token, index) => token.depth === 0 && isWord(token, word) && !isWord(tokens[index - 1], 'DO', 'ON'));
  if (at('DELETE')) return 'deletes all rows of a table';
  return at('UPDATE') ? 'changes all rows of a table' : undefined;
}
