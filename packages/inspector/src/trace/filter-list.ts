import { type Filter, matchFacts, matchText, type NameOfSession } from './filter.ts';
import type { Facts } from './facts.ts';
import type { TraceLine } from './line.ts';
import type { TraceIndex } from './trace-index.ts';

/** The trace to search. */
export interface SearchedTrace {
  readonly index: Pick<TraceIndex, 'all' | 'length'>;
  read(from: number, to: number): readonly TraceLine[];
}

/** The lines of a growing trace that match a filter. Each line is tested once, and a request again when its answer arrives. */
export interface FilterList {
  /** The number of lines that have been tested. */
  readonly searched: number;
  readonly length: number;
  /** The number of the line at this index. */
  at(place: number): number;
  /** Tests lines up to this number, or until `performance.now()` reaches `deadline`. */
  search(until: number, deadline: number): void;
}

/** The number of facts tested between two readings of the clock. */
const FACTS_AT_ONCE = 2_048;
/** The amount of text read at once, in characters, if the text decides. */
const TEXT_AT_ONCE = 256 * 1024;

/** Creates an empty list; `search` fills it. */
export function createFilterList(filter: Filter, trace: SearchedTrace, nameOf: NameOfSession): FilterList {
  const found = createLineNumbers();
  let { all } = trace.index;
  let searched = 0;

  /** The lines in this range whose text matches. */
  const byText = (from: number, to: number): readonly number[] =>
    trace
      .read(from, to)
      .filter((line) => matchText(filter, all[line.n - 1]!, nameOf, line))
      .map(({ n }) => n);

  const lookAgain = (n: number): void => {
    const verdict = matchFacts(filter, all[n - 1]!, nameOf) ?? byText(n, n).length === 1;
    if (verdict) found.insert(n);
    else found.remove(n);
  };

  /** The request about which this line says something new. */
  const settled = ({ message, kind, pair, method, cause = 0 }: Facts): number | undefined => {
    if (message === 'response') return pair;
    if (method === 'notifications/cancelled' || kind === 'timer' || kind === 'note') return cause || undefined;
    // The client may have abandoned an exchange whose request is not answered.
    const carried = kind === 'http' ? all[cause - 1]?.cause : undefined;
    return carried !== undefined && all[carried - 1]?.outcome === 'cancelled' ? carried : undefined;
  };

  /** A range of lines whose text has yet to be read: its first line, its last line, and its size in characters. */
  let first = 0;
  let last = 0;
  let waiting = 0;
  const readWaiting = (): void => {
    if (first === 0) return;
    for (const n of byText(first, last)) found.insert(n);
    first = 0;
    waiting = 0;
  };

  /** Tests the lines from `begin` to `end`. Returns the last line tested: it stops after about `TEXT_AT_ONCE` characters. */
  const lookAt = (begin: number, end: number, start: number): number => {
    let read = 0;
    let n = begin;
    for (; n <= end && read < TEXT_AT_ONCE; n++) {
      const facts = all[n - 1]!;
      const verdict = matchFacts(filter, facts, nameOf);
      if (verdict === true) found.insert(n);
      if (verdict === undefined) {
        if (first !== 0 && last !== n - 1) readWaiting();
        if (first === 0) first = n;
        last = n;
        waiting += facts.size;
        read += facts.size;
        if (waiting >= TEXT_AT_ONCE) readWaiting();
      }
      // A request of this search was tested when the facts of this line were already known.
      const request = filter.settles ? settled(facts) : undefined;
      if (request !== undefined && request < start) lookAgain(request);
      // The end of a task says something new about its call.
      if (filter.settles && facts.task !== undefined && facts.task < start) lookAgain(facts.task);
    }
    readWaiting();
    return n - 1;
  };

  return {
    get searched() {
      return searched;
    },
    get length() {
      return found.length;
    },
    at: (place) => found.at(place),
    search(until, deadline) {
      ({ all } = trace.index);
      const end = Math.min(until, trace.index.length);
      const start = searched + 1;
      do {
        if (searched >= end) return;
        searched = lookAt(searched + 1, Math.min(end, searched + FACTS_AT_ONCE), start);
      } while (performance.now() < deadline);
    },
  };
}

/** A sorted set of line numbers, four bytes each. */
interface LineNumbers {
  readonly length: number;
  /** Throws a RangeError for a line that does not exist. */
  at(place: number): number;
  insert(n: number): void;
  remove(n: number): void;
}

function createLineNumbers(): LineNumbers {
  let numbers = new Uint32Array(256);
  let length = 0;

  /** The index of this number, or the index at which to insert it. */
  const placeOf = (n: number): number => {
    if (length === 0 || numbers[length - 1]! < n) return length;
    let [low, high] = [0, length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (numbers[middle]! < n) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    get length() {
      return length;
    },
    at: (place) => {
      if (place < 0 || place >= length) throw new RangeError(`There is no place ${place} among ${length}`);
      return numbers[place]!;
    },
    insert(n) {
      const place = placeOf(n);
      if (place < length && numbers[place] === n) return;
      if (length === numbers.length) {
        const more = new Uint32Array(length * 2);
        more.set(numbers);
        numbers = more;
      }
      numbers.copyWithin(place + 1, place, length);
      numbers[place] = n;
      length++;
    },
    remove(n) {
      const place = placeOf(n);
      if (place >= length || numbers[place] !== n) return;
      numbers.copyWithin(place, place + 1, length);
      length--;
    },
  };
}
