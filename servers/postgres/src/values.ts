// Values of PostgreSQL as JSON, without any loss. Values without a form of their own are strings, as PostgreSQL writes them.

/** The type of a column. */
export interface ColumnType {
  /** As PostgreSQL writes it: `integer`, `numeric[]`. */
  readonly name: string;
  /** The object id of the type, or of the elements of an array. */
  readonly oid: number;
  readonly isArray: boolean;
}

/** Object ids of types, from pg_type.dat of PostgreSQL: they never change. */
const BOOL = 16;
const INTEGERS = new Set([21, 23, 26]);
const FLOATS = new Set([700, 701]);
const JSONS = new Set([114, 3802]);
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;

/** The value as JSON. */
export function toJson(text: string | null, { oid, isArray }: ColumnType): unknown {
  if (text === null) return null;
  return isArray ? parseArray(text, (element) => scalar(element, oid)) : scalar(text, oid);
}

function scalar(text: string, oid: number): unknown {
  if (oid === BOOL) return text === 't';
  // JSON has no NaN and no infinity.
  if (INTEGERS.has(oid) || FLOATS.has(oid)) return Number.isFinite(Number(text)) ? Number(text) : text;
  if (JSONS.has(oid)) return parseJson(text);
  if (oid === TIMESTAMP || oid === TIMESTAMPTZ) return timestamp(text);
  return text;
}

/** ISO 8601 with all digits. Dates before Christ and `infinity` stay as they are. */
function timestamp(text: string): string {
  const [, date, time, sign, hours, rest] =
    /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:([+-])(\d\d)(:\d\d(?::\d\d)?)?)?$/.exec(text) ?? [];
  if (date === undefined) return text;
  if (sign === undefined) return `${date}T${time}`;
  return `${date}T${time}${hours === '00' && rest === undefined ? 'Z' : `${sign}${hours}${rest ?? ':00'}`}`;
}

/** Deeper JSON stays text: not every client can read it. */
const MAX_JSON_DEPTH = 50;
/** Strings are matched, too, so that nothing inside of them is. */
const JSON_PIECES = /"(?:[^"\\]|\\.)*"|([{[])|([}\]])|(-?\d[\d.eE+-]*)/g;

/** A JSON value; or its text, if a number in it would change. */
function parseJson(text: string): unknown {
  let depth = 0;
  for (const [, opens, closes, number] of text.matchAll(JSON_PIECES)) {
    if (opens !== undefined) depth++;
    if (closes !== undefined) depth--;
    if (depth > MAX_JSON_DEPTH || (number !== undefined && !keepsValue(number))) return text;
  }
  return JSON.parse(text) as unknown;
}

/** Whether a number stays the same as a number of JavaScript. */
function keepsValue(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  const digits = /^-?0*([\d.]*)/
    .exec(number)![1]!
    .replace('.', '')
    .replace(/^0+|0+$/g, '');
  // A double keeps 15 significant digits, and any integer that is safe.
  return (
    digits === '' || (value !== 0 && digits.length <= 15) || (/^-?\d+$/.test(number) && Number.isSafeInteger(value))
  );
}

const PIECES = /[{},]|"((?:[^"\\]|\\[^])*)"|((?:[^"\\{},]|\\[^])+)/g;

/** Parses the text form of an array: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function parseArray(text: string, element: (text: string) => unknown): unknown {
  // Lower bounds other than 1 come first: [0:1]={1,2}
  const start = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
  const open: unknown[][] = [];
  let top: unknown = text;
  for (const [piece, quoted, bare] of text.slice(start).matchAll(PIECES)) {
    if (piece === '{') {
      const list: unknown[] = [];
      open.at(-1)?.push(list);
      open.push(list);
    } else if (piece === '}') top = open.pop();
    else if (quoted !== undefined) open.at(-1)?.push(element(unescaped(quoted)));
    else if (bare !== undefined) open.at(-1)?.push(bare === 'NULL' ? null : element(unescaped(bare)));
  }
  return top;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([^])/g, '$1');
}
