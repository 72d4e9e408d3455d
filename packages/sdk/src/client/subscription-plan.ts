import { isEmpty, type Topics } from './topics.ts';

/** A subscription that the server has acknowledged. */
export interface HeldSubscription {
  /** The topics that the server announces on it. */
  readonly granted: Topics;
}

/** The next subscription to open. */
export interface Plan<H extends HeldSubscription> {
  readonly requested: Topics;
  /** Subscriptions that it makes unnecessary, once it is acknowledged. */
  readonly replaces: readonly H[];
}

/** Up to this number, lists and resources are requested again regardless of the cost. */
const MAX_REPEATED = 32;

function sizeOf({ lists, uris }: Topics): number {
  return lists.size + uris.size;
}

/** The topics of `a` that are not in `b`, or those that are. */
function select(a: Topics, b: Topics, isIn: boolean): Topics {
  return {
    lists: new Set([...a.lists].filter((list) => b.lists.has(list) === isIn)),
    uris: new Set([...a.uris].filter((uri) => b.uris.has(uri) === isIn)),
  };
}

function union(all: readonly Topics[]): Topics {
  return {
    lists: new Set(all.flatMap(({ lists }) => [...lists])),
    uris: new Set(all.flatMap(({ uris }) => [...uris])),
  };
}

/** The topics of `a` that are not in `b`. */
export function without(a: Topics, b: Topics): Topics {
  return select(a, b, false);
}

/** The topics that these subscriptions announce together. */
export function coveredBy(held: Iterable<HeldSubscription>): Topics {
  return union([...held].map(({ granted }) => granted));
}

/** Does this subscription announce nothing that is needed? */
export function isUseless({ granted }: HeldSubscription, needed: Topics): boolean {
  return isEmpty(select(granted, needed, true));
}

/**
 * Which subscription to open, so that everything needed is announced; undefined if there is nothing to do. A request names all its resources.
 * So that many resources are not all named again for each one that is added, they get two subscriptions: the first has most of them, the second
 * those that were added since; a new one replaces the second with each addition, and both when the second has become large. For the same
 * reason, resources that are no longer needed stay until there are many.
 *
 * @param held At most two, the older one first.
 * @param mayReplaceAll May everything be requested at once?
 */
export function planOf<H extends HeldSubscription>(
  needed: Topics,
  held: readonly H[],
  mayReplaceAll: boolean,
): Plan<H> | undefined {
  const covered = coveredBy(held);
  const missing = without(needed, covered);
  const everything = { requested: needed, replaces: held };
  const areFew = sizeOf(needed) <= MAX_REPEATED;
  if (isEmpty(missing)) {
    const isExact = held.length <= 1 && sizeOf(covered) === sizeOf(needed);
    const isTidy = areFew ? isExact : sizeOf(without(covered, needed)) <= MAX_REPEATED;
    return isTidy || !mayReplaceAll ? undefined : everything;
  }
  const [, second] = held;
  const added = second === undefined ? missing : union([missing, select(second.granted, needed, true)]);
  const replacesAll = held.length === 0 || (mayReplaceAll && (areFew || sizeOf(added) > MAX_REPEATED));
  return replacesAll ? everything : { requested: added, replaces: second === undefined ? [] : [second] };
}
