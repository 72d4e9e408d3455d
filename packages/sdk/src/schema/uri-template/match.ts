import type { Characters } from './characters.ts';
import { delimiterBit } from './steps.ts';
import type { Member, Place, Step } from './steps.ts';

type Literal = Extract<Step, { kind: 'literal' }>;
type Run = Extract<Step, { kind: 'run' }>;
type Members = Extract<Step, { kind: 'members' }>;

/** For each position: 1 if the rest of the steps can consume the rest of the characters from there. */
type Row = Uint8Array;

/** `values`: inside or at the end of a value. `names`: at the start of a member. */
interface MemberRows {
  readonly values: Row;
  readonly names: Row;
}

const EQUALS = 0x3d;

/** Where the characters of `part` occur in `whole`: Knuth, Morris and Pratt, so that repetitive literals stay linear. */
const occurrences = (whole: Characters, part: Characters): Row => {
  const found = new Uint8Array(whole.length + 1);
  const border = new Int32Array(part.length + 1);
  border[0] = -1;
  for (let at = 0, length = -1; at < part.length; border[++at] = ++length) {
    while (length >= 0 && part[at] !== part[length]) length = border[length] as number;
  }
  for (let at = 0, length = 0; at < whole.length; at++) {
    while (length >= 0 && (length === part.length || whole[at] !== part[length])) length = border[length] as number;
    if (++length === part.length) found[at + 1 - length] = 1;
  }
  return found;
};

const literalRow = ({ characters }: Literal, uri: Characters, next: Row): Row => {
  const row = occurrences(uri, characters);
  for (let at = 0; at < row.length; at++) row[at] = (row[at] as number) & (next[at + characters.length] ?? 0);
  return row;
};

const runRow = ({ min, max, excluded }: Run, uri: Characters, next: Row): Row => {
  const row = new Uint8Array(uri.length + 1);
  // `stop`: the end of the longest run from `at`. `last`: the last position up to there where the next step can go on.
  const lasts = new Int32Array(uri.length + 1);
  for (let at = 0, last = -1; at <= uri.length; at++) lasts[at] = next[at] ? (last = at) : last;
  for (let at = uri.length, stop = at; at >= 0; at--) {
    if (at < uri.length && delimiterBit(uri[at] as number) & excluded) stop = at;
    row[at] = (lasts[Math.min(stop, at + max)] as number) >= at + min ? 1 : 0;
  }
  return row;
};

const eitherRow = (a: Row, b: Row): Row => {
  const row = new Uint8Array(a);
  for (let at = 0; at < row.length; at++) if (b[at]) row[at] = 1;
  return row;
};

const startsWith = (uri: Characters, name: Characters, at: number): boolean => {
  for (let offset = 0; offset < name.length; offset++) if (uri[at + offset] !== name[offset]) return false;
  return true;
};

/** The member whose name stands at `at` and is followed by something that works out. */
const memberAt = (
  step: Members,
  uri: Characters,
  at: number,
  { values, names }: MemberRows,
  next: Row,
): Member | undefined =>
  step.members.find(({ name }) => {
    if (!startsWith(uri, name, at)) return false;
    const end = at + name.length;
    if (uri[end] === EQUALS && values[end + 1]) return true;
    return next[end] === 1 || (uri[end] === step.separator && names[end + 1] === 1);
  });

const memberRows = (step: Members, uri: Characters, next: Row): MemberRows => {
  const rows = { values: new Uint8Array(uri.length + 1), names: new Uint8Array(uri.length + 1) };
  for (let at = uri.length; at >= 0; at--) {
    const character = at < uri.length ? (uri[at] as number) : -1;
    const goesOn = character !== -1 && !(delimiterBit(character) & step.excluded) && rows.values[at + 1];
    const another = character === step.separator && rows.names[at + 1];
    rows.values[at] = next[at] || goesOn || another ? 1 : 0;
    const before = at > 0 ? uri[at - 1] : -1;
    if (before === step.first || before === step.separator)
      rows.names[at] = memberAt(step, uri, at, rows, next) ? 1 : 0;
  }
  return rows;
};

const membersRow = (step: Members, uri: Characters, next: Row, { names }: MemberRows): Row => {
  const row = new Uint8Array(next);
  for (let at = 0; at < uri.length; at++) if (uri[at] === step.first && names[at + 1]) row[at] = 1;
  return row;
};

/** A value found: `start` and `end` of its characters. With `separator` it is a list. */
export interface Found {
  readonly place: Place;
  readonly start: number;
  readonly end: number;
  readonly separator: number | undefined;
}

const walkMembers = (
  step: Members,
  uri: Characters,
  from: number,
  rows: MemberRows,
  next: Row,
  found: Found[],
): number => {
  let at = from;
  while (uri[at] === (at === from ? step.first : step.separator) && rows.names[at + 1]) {
    const { name, place } = memberAt(step, uri, at + 1, rows, next) as Member;
    let start = at + 1 + name.length;
    if (uri[start] === EQUALS && rows.values[start + 1]) start++;
    else {
      found.push({ place, start, end: start, separator: undefined });
      at = start;
      continue;
    }
    let end = start;
    while (end < uri.length && !(delimiterBit(uri[end] as number) & step.excluded) && rows.values[end + 1]) end++;
    found.push({ place, start, end, separator: undefined });
    at = end;
  }
  return at;
};

const runEnd = ({ max, excluded }: Run, uri: Characters, start: number, next: Row): number => {
  let end = start;
  while (end < uri.length && end - start < max && !(delimiterBit(uri[end] as number) & excluded)) end++;
  while (!next[end]) end--;
  return end;
};

/**
 * Matches the steps against a whole URI without trying alternatives: from the last step to the first it notes
 * from where the rest can succeed, then walks once from left to right, each run as long as the notes allow.
 * Time is proportional to characters × steps, whatever they are.
 */
export const walk = (steps: readonly Step[], uri: Characters): Found[] | undefined => {
  const rows: Row[] = [];
  const inner: MemberRows[] = [];
  rows[steps.length] = new Uint8Array(uri.length + 1);
  (rows[steps.length] as Row)[uri.length] = 1;
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index] as Step;
    const next = rows[index + 1] as Row;
    if (step.kind === 'literal') rows[index] = literalRow(step, uri, next);
    else if (step.kind === 'run') rows[index] = runRow(step, uri, next);
    else if (step.kind === 'optional') rows[index] = eitherRow(next, rows[index + 1 + step.count] as Row);
    else rows[index] = membersRow(step, uri, next, (inner[index] = memberRows(step, uri, next)));
  }
  if (!rows[0]?.[0]) return undefined;

  const found: Found[] = [];
  let at = 0;
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as Step;
    const next = rows[index + 1] as Row;
    if (step.kind === 'literal') at += step.characters.length;
    else if (step.kind === 'optional') index += next[at] ? 0 : step.count;
    else if (step.kind === 'members') at = walkMembers(step, uri, at, inner[index] as MemberRows, next, found);
    else {
      const end = runEnd(step, uri, at, next);
      found.push({ place: step.place, start: at, end, separator: step.separator });
      at = end;
    }
  }
  return found;
};
