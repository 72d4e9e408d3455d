import type { Characters } from './characters.ts';
import { delimiterBits } from './steps.ts';
import type { Member, Place, Step } from './steps.ts';

type Literal = Extract<Step, { kind: 'literal' }>;
type Run = Extract<Step, { kind: 'run' }>;
type Members = Extract<Step, { kind: 'members' }>;

/** The URI to match. `bits` has one entry more than there are characters. */
interface Subject {
  readonly characters: Characters;
  readonly bits: Uint8Array;
  readonly length: number;
}

/** For each position, the end included: 1 if the rest of the steps can consume the rest of the characters from there. */
type Row = Uint8Array;

/** `values`: inside or at the end of a value. `names`: at the start of a member. */
interface MemberRows {
  readonly values: Row;
  readonly names: Row;
}

/** Computed before the walk: one row per step and one for the end; for steps with members, their rows. */
interface Notes {
  readonly rows: readonly Row[];
  readonly members: ReadonlyMap<Members, MemberRows>;
}

/** The start and end of a matched value. With `separator` it is a list. */
export interface Found {
  readonly place: Place;
  readonly start: number;
  readonly end: number;
  readonly separator: number | undefined;
}

const EQUALS = 0x3d;

/** The positions at which `part` occurs in the URI: the algorithm of Knuth, Morris and Pratt, so that repetitive literals stay linear. */
function occurrences({ characters, length }: Subject, part: Characters): Row {
  const found = new Uint8Array(length + 1);
  const border = new Int32Array(part.length + 1);
  border[0] = -1;
  for (let at = 0, same = -1; at < part.length; border[++at] = ++same) {
    while (same >= 0 && part[at] !== part[same]) same = border[same] as number;
  }
  for (let at = 0, same = 0; at < length; at++) {
    while (same >= 0 && characters[at] !== part[same]) same = border[same] as number;
    if (++same === part.length) found[at + 1 - same] = 1;
  }
  return found;
}

function literalRow(step: Literal, uri: Subject, next: Row): Row {
  const row = new Uint8Array(uri.length + 1);
  const { length } = step.characters;
  const single = length === 1 ? step.characters[0] : undefined;
  const found = single === undefined ? occurrences(uri, step.characters) : undefined;
  for (let at = uri.length - length; at >= 0; at--) {
    if (next[at + length] && (found ? found[at] : uri.characters[at] === single)) row[at] = 1;
  }
  return row;
}

function runRow({ min, max, excluded }: Run, { bits, length }: Subject, next: Row): Row {
  const row = new Uint8Array(length + 1);
  // `stop`: the end of the longest run from `at`. `nearest`: the first position from `at + min` where the next step can continue.
  let nearest = Infinity;
  for (let at = length, stop = at; at >= 0; at--) {
    if ((bits[at] as number) & excluded) stop = at;
    if (next[at + min]) nearest = at + min;
    if (nearest <= stop && nearest - at <= max) row[at] = 1;
  }
  return row;
}

function eitherRow(a: Row, b: Row): Row {
  const row = new Uint8Array(a);
  for (let at = 0; at < row.length; at++) if (b[at]) row[at] = 1;
  return row;
}

function startsWith(characters: Characters, name: Characters, at: number): boolean {
  for (let offset = 0; offset < name.length; offset++) if (characters[at + offset] !== name[offset]) return false;
  return true;
}

/** The member whose name begins at `at`, and after which the rest can succeed. */
function memberAt(
  step: Members,
  uri: Subject,
  at: number,
  { values, names }: MemberRows,
  next: Row,
): Member | undefined {
  for (const member of step.members) {
    if (!startsWith(uri.characters, member.name, at)) continue;
    const end = at + member.name.length;
    const following = uri.characters[end];
    if (next[end] || (following === EQUALS && values[end + 1])) return member;
    if (following === step.separator && names[end + 1]) return member;
  }
  return undefined;
}

function memberRows(step: Members, uri: Subject, next: Row): MemberRows {
  const { characters, bits, length } = uri;
  const { first, separator, excluded } = step;
  const values = new Uint8Array(length + 1);
  const names = new Uint8Array(length + 1);
  const rows = { values, names };
  values[length] = next[length] as number;
  for (let at = length - 1; at >= 0; at--) {
    const character = characters[at] as number;
    const delimits = (bits[at] as number) & excluded;
    if (next[at] || (delimits ? character === separator && names[at + 1] : values[at + 1])) values[at] = 1;
    if (at === 0 || delimits) continue;
    const before = characters[at - 1];
    if ((before === first || before === separator) && memberAt(step, uri, at, rows, next)) names[at] = 1;
  }
  return rows;
}

function membersRow(step: Members, { characters, length }: Subject, next: Row, { names }: MemberRows): Row {
  const row = new Uint8Array(next);
  for (let at = 0; at < length; at++) if (characters[at] === step.first && names[at + 1]) row[at] = 1;
  return row;
}

/** From the last step to the first: from which positions can the rest succeed? */
function takeNotes(steps: readonly Step[], uri: Subject): Notes {
  let next: Row = new Uint8Array(uri.length + 1);
  next[uri.length] = 1;
  const rows: Row[] = [];
  const members = new Map<Members, MemberRows>();
  rows[steps.length] = next;
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index] as Step;
    if (step.kind === 'literal') next = literalRow(step, uri, next);
    else if (step.kind === 'run') next = runRow(step, uri, next);
    else if (step.kind === 'optional') next = eitherRow(next, rows[index + 1 + step.count] as Row);
    else {
      const inner = memberRows(step, uri, next);
      members.set(step, inner);
      next = membersRow(step, uri, next, inner);
    }
    rows[index] = next;
  }
  return { rows, members };
}

function walkRun({ place, max, excluded, separator }: Run, { bits, length }: Subject, start: number, next: Row): Found {
  let end = start;
  while (end < length && end - start < max && !((bits[end] as number) & excluded)) end++;
  while (!next[end]) end--;
  return { place, start, end, separator };
}

function walkMembers(step: Members, uri: Subject, from: number, rows: MemberRows, next: Row): Found[] {
  const found: Found[] = [];
  let at = from;
  while (uri.characters[at] === (at === from ? step.first : step.separator) && rows.names[at + 1]) {
    const { name, place } = memberAt(step, uri, at + 1, rows, next) as Member;
    let start = at + 1 + name.length;
    let end = start;
    if (uri.characters[start] === EQUALS && rows.values[start + 1]) {
      end = ++start;
      while (end < uri.length && !((uri.bits[end] as number) & step.excluded) && rows.values[end + 1]) end++;
    }
    found.push({ place, start, end, separator: undefined });
    at = end;
  }
  return found;
}

/**
 * Matches the steps against a whole URI, without backtracking: the notes say from which positions the rest can succeed, then one walk from
 * left to right makes each value as long as they allow. Time and memory are proportional to characters × steps (a step with members counts
 * once per member), whatever they are.
 */
export function findValues(steps: readonly Step[], characters: Characters): Found[] | undefined {
  const uri: Subject = { characters, bits: delimiterBits(characters), length: characters.length };
  const { rows, members } = takeNotes(steps, uri);
  if (!rows[0]?.[0]) return undefined;
  const found: Found[] = [];
  let at = 0;
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as Step;
    const next = rows[index + 1] as Row;
    if (step.kind === 'literal') at += step.characters.length;
    else if (step.kind === 'optional') index += next[at] ? 0 : step.count;
    else {
      const values =
        step.kind === 'run'
          ? [walkRun(step, uri, at, next)]
          : walkMembers(step, uri, at, members.get(step) as MemberRows, next);
      for (const value of values) found.push(value);
      at = values.at(-1)?.end ?? at;
    }
  }
  return found;
}
