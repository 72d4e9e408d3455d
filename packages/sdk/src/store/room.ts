/** A number of entries, and the characters of their keys and values. */
export interface Size {
  readonly entries: number;
  readonly characters: number;
}

/** The sizes that decide whether there is room for values stored with `add`. */
export interface AddedValues {
  /** The limits of the whole store. */
  readonly most: Size;
  /** The size of all values that were added. */
  readonly added: Size;
  /** The size of the values of the next value's owner. Undefined: the owner has none, or there is no owner. */
  readonly own: Size | undefined;
}

/** Is there room for more values that have to stay? `none`: for no owner. `none-for-owner`: not for this one. */
export type Room = 'enough' | 'none' | 'none-for-owner';

/** The fraction of a store for values that have to stay for their whole life. */
const ADDED = 1 / 2;
/** The fraction of the remaining room that one owner may use. */
const SHARE = 1 / 10;

/** Determines whether there is room for more values that have to stay. For the first value of an owner, only the free room counts. */
export function roomFor(more: Size, { most, added, own }: AddedValues): Room {
  const free: Size = {
    entries: most.entries * ADDED - added.entries,
    characters: most.characters * ADDED - added.characters,
  };
  const fits = (before: Size, share: number): boolean =>
    (more.entries <= 0 || before.entries + more.entries <= free.entries * share) &&
    (more.characters <= 0 || before.characters + more.characters <= free.characters * share);
  if (!fits({ entries: 0, characters: 0 }, 1)) return 'none';
  if (own === undefined || own.entries + more.entries <= 1 || fits(own, SHARE)) return 'enough';
  return 'none-for-owner';
}

/** The error for a value that does not fit. `store` names the store in a sentence. */
export function noRoomError(room: Exclude<Room, 'enough'>, store: string): RangeError {
  return new RangeError(
    room === 'none-for-owner'
      ? `One caller has as much in ${store} as it may have: values that were added stay for their whole life`
      : `There is no more room in ${store}: values that were added stay for their whole life`,
  );
}
