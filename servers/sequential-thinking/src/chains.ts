import { randomUUID } from 'node:crypto';

/** One step of thinking. */
export interface Thought {
  readonly thought: string;
  readonly thoughtNumber: number;
  readonly totalThoughts: number;
  readonly revisesThought?: number | undefined;
  readonly branchFromThought?: number | undefined;
  readonly branchId?: string | undefined;
}

/** A chain of thoughts. */
export interface Chain {
  readonly id: string;
  readonly thoughts: Thought[];
  readonly branches: Set<string>;
  characters: number;
}

const MAX_CHAINS = 100;
const MAX_THOUGHTS = 1_000;
const MAX_CHARACTERS = 1_000_000;
/** Maximum characters of all chains together. */
const MAX_TOTAL_CHARACTERS = 16_000_000;

/** The chains of one client. The least recently continued one is dropped first. */
export class Chains {
  readonly #chains = new Map<string, Chain>();
  readonly #most: number;
  #characters = 0;
  #last: Chain | undefined;

  constructor(most: number = MAX_CHAINS) {
    this.#most = most;
  }

  get(id: string): Chain | undefined {
    return this.#chains.get(id);
  }

  /** The most recently continued chain. */
  get last(): Chain | undefined {
    return this.#last;
  }

  all(): IterableIterator<Chain> {
    return this.#chains.values();
  }

  begin(): Chain {
    const chain: Chain = { id: randomUUID(), thoughts: [], branches: new Set(), characters: 0 };
    this.#touch(chain);
    return chain;
  }

  /** Adds a thought. Throws a `RangeError` if the chain is full. */
  add(chain: Chain, thought: Thought): void {
    const characters = chain.characters + thought.thought.length;
    if (chain.thoughts.length >= MAX_THOUGHTS || characters > MAX_CHARACTERS)
      throw new RangeError(
        `A chain has at most ${MAX_THOUGHTS} thoughts and ${MAX_CHARACTERS} characters: start a new one`,
      );
    chain.thoughts.push(thought);
    chain.characters = characters;
    this.#characters += thought.thought.length;
    if (thought.branchFromThought !== undefined && thought.branchId !== undefined) chain.branches.add(thought.branchId);
    this.#touch(chain);
  }

  #touch(chain: Chain): void {
    this.#chains.delete(chain.id);
    this.#chains.set(chain.id, chain);
    this.#last = chain;
    while (this.#chains.size > this.#most || this.#characters > MAX_TOTAL_CHARACTERS) {
      const [oldest] = this.#chains.values();
      if (oldest === undefined || oldest === chain) break;
      this.#chains.delete(oldest.id);
      this.#characters -= oldest.characters;
    }
  }
}
