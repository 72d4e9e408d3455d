// The type of `@tenon/values/room` cannot be named here: that package is not published, and declarations name this one.
/** A number of entries, and their characters. */
export interface Size {
  readonly entries: number;
  readonly characters: number;
}

/** Sizes are counted again after as many writes as this part of a limit. */
const PRECISION = 1 / 100;
/** If a limit is so small that one entry of this size could matter, sizes are counted every time. */
const ONE: Size = { entries: 1, characters: 1_000 };

/** The maximum number of owners whose sizes are remembered. */
const MAX_OWNERS = 10_000;

/** Counts what this process has written since the sizes were counted, until it could matter. */
export class WriteBudget {
  readonly #most: Size;
  #entries = Infinity;
  #characters = Infinity;

  constructor({ entries, characters }: Size) {
    this.#most = { entries: entries * PRECISION, characters: characters * PRECISION };
  }

  spend({ entries, characters }: Size): void {
    this.#entries += entries;
    this.#characters += characters;
  }

  get isSpent(): boolean {
    return (
      this.#entries + ONE.entries > this.#most.entries || this.#characters + ONE.characters > this.#most.characters
    );
  }

  /** The sizes are being counted. */
  reset(): void {
    this.#entries = 0;
    this.#characters = 0;
  }

  /** The sizes could not be counted. */
  exhaust(): void {
    this.#entries = Infinity;
  }
}

/** A size as it was counted, and what this process has added since then. */
class Estimate {
  readonly budget: WriteBudget;
  size: Size = { entries: 0, characters: 0 };

  constructor(most: Size) {
    this.budget = new WriteBudget(most);
  }

  counted(size: Size): void {
    this.size = size;
    this.budget.reset();
  }

  add(more: Size): void {
    const { entries, characters } = this.size;
    this.size = { entries: entries + more.entries, characters: characters + more.characters };
    this.budget.spend({ entries: Math.abs(more.entries), characters: Math.abs(more.characters) });
  }
}

/** What is known about the sizes of the values that were added: of all, and of some owners. */
export class AddedEstimates {
  readonly #all: Estimate;
  readonly #mostOfOwner: Size;
  readonly #owners = new Map<string, Estimate>();

  /** `most`: for all values that were added, and for those of one owner. */
  constructor(most: Size, mostOfOwner: Size) {
    this.#all = new Estimate(most);
    this.#mostOfOwner = mostOfOwner;
  }

  /** The sizes, unless they have to be counted first. */
  of(owner: string | undefined): { readonly added: Size; readonly own: Size | undefined } | undefined {
    if (this.#all.budget.isSpent) return undefined;
    if (owner === undefined) return { added: this.#all.size, own: undefined };
    const own = this.#owners.get(owner);
    return own === undefined || own.budget.isSpent ? undefined : { added: this.#all.size, own: ownSize(own.size) };
  }

  counted(owner: string | undefined, added: Size, own: Size): void {
    this.#all.counted(added);
    if (owner !== undefined) this.#estimateOf(owner).counted(own);
  }

  add(owner: string | undefined, more: Size): void {
    this.#all.add(more);
    if (owner !== undefined) this.#owners.get(owner)?.add(more);
  }

  #estimateOf(owner: string): Estimate {
    const found = this.#owners.get(owner) ?? new Estimate(this.#mostOfOwner);
    this.#owners.delete(owner);
    this.#owners.set(owner, found);
    if (this.#owners.size > MAX_OWNERS) this.#owners.delete(this.#owners.keys().next().value!);
    return found;
  }
}

/** An owner without values is one that `roomFor` need not limit. */
function ownSize(size: Size): Size | undefined {
  return size.entries === 0 ? undefined : size;
}
