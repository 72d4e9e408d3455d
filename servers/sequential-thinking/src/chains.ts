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

/** A train of thought. */
export interface Chain {
  readonly id: string;
  readonly thoughts: Thought[];
  readonly branches: Set<string>;
  characters: number;
}

const MOST_CHAINS = 100;
const MOST_THOUGHTS = 1_000;
const MOST_CHARACTERS = 1_000_000;
/** Most characters of all chains together. */
const MOST_TOGETHER = 16_000_000;

/** The trains of thought of one client. The one that was longest not continued goes first. */
export class Chains {
  readonly #chains = new Map<string, Chain>();
  readonly #most: number;
  #characters = 0;
  #last: Chain | undefined;

  constructor(most: number = MOST_CHAINS) {
    this.#most = most;
  }

  get(id: string): Chain | undefined {
    return this.#chains.get(id);
  }

  /** The one that was continued last. */
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

  /** Adds a thought. Throws when the chain is full. */
  add(chain: Chain, thought: Thought): void {
    const characters = chain.characters + thought.thought.length;
    if (chain.thoughts.length >= MOST_THOUGHTS || characters > MOST_CHARACTERS)
      throw new RangeError(
        `A chain has at most ${MOST_THOUGHTS} thoughts, and ${MOST_CHARACTERS} characters: begin another`,
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
    while (this.#chains.size > this.#most || this.#characters > MOST_TOGETHER) {
      const [oldest] = this.#chains.values();
      if (oldest === undefined || oldest === chain) break;
      this.#chains.delete(oldest.id);
      this.#characters -= oldest.characters;
    }
  }
}
