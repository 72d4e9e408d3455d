import { spend } from '../budget.ts';
import type { Budget } from '../budget.ts';
import type { CharSet } from './char-set.ts';
import { PatternError } from './parse.ts';
import type { Assertion, Tree } from './parse.ts';

/** A non-deterministic automaton (Thompson's construction); states are indexes into the three lists. */
export interface Program {
  /** `set` and `assertion` continue at `next`, `split` at `next` and `other`; `accept` ends. */
  readonly ops: readonly Op[];
  readonly sets: readonly CharSet[];
  readonly start: number;
  /** Every match begins at the start of the text. */
  readonly anchored: boolean;
  /** Uses `\b` or `\B`. */
  readonly boundaries: boolean;
}

export type Op =
  | { readonly kind: 'set'; readonly set: number; readonly next: number }
  | { readonly kind: 'assertion'; readonly what: Assertion; readonly next: number }
  | { readonly kind: 'split'; next: number; readonly other: number }
  | { readonly kind: 'accept' };

const MAX_OPS = 5_000;

interface Draft {
  readonly ops: Op[];
  readonly sets: CharSet[];
  readonly setIndex: Map<string, number>;
  readonly budget: Budget;
  boundaries: boolean;
}

/** Builds the automaton of a tree. Throws a `PatternError` if counted repetition makes it too large. */
export function makeProgram(tree: Tree, budget: Budget): Program {
  const draft: Draft = { ops: [], sets: [], setIndex: new Map(), budget, boundaries: false };
  const accept = push(draft, { kind: 'accept' });
  const start = emit(draft, tree, accept);
  return { ops: draft.ops, sets: draft.sets, start, anchored: isAnchored(tree), boundaries: draft.boundaries };
}

function push(draft: Draft, op: Op): number {
  if (draft.ops.length >= MAX_OPS) throw new PatternError('its repetitions make it too large', true);
  return draft.ops.push(op) - 1;
}

/** Adds the states of `tree` in front of the state `next`; returns the first of them. */
function emit(draft: Draft, tree: Tree, next: number): number {
  spend(draft.budget, 1);
  switch (tree.kind) {
    case 'set':
      return push(draft, { kind: 'set', set: indexOfSet(draft, tree.set), next });
    case 'assertion':
      if (tree.what === 'boundary' || tree.what === 'noBoundary') draft.boundaries = true;
      return push(draft, { kind: 'assertion', what: tree.what, next });
    case 'sequence':
      return tree.items.reduceRight((after, item) => emit(draft, item, after), next);
    case 'either': {
      const entries = tree.options.map((option) => emit(draft, option, next));
      return entries.reduceRight((other, entry) => push(draft, { kind: 'split', next: entry, other }));
    }
    case 'repeat':
      return emitRepeat(draft, tree.item, tree.min, tree.max, next);
    case 'ahead':
      throw new PatternError('it looks ahead elsewhere than right after a leading ^', true);
  }
}

function emitRepeat(draft: Draft, item: Tree, min: number, max: number, next: number): number {
  let entry = next;
  let copies = min;
  if (max === Infinity) {
    const loop: Op = { kind: 'split', next: 0, other: next };
    const again = push(draft, loop);
    loop.next = emit(draft, item, again);
    entry = min === 0 ? again : loop.next; // the loop's own body is the last of the required copies
    copies = Math.max(0, min - 1);
  } else {
    for (let optional = max - min; optional > 0; optional -= 1) {
      entry = push(draft, { kind: 'split', next: emit(draft, item, entry), other: next });
    }
  }
  for (; copies > 0; copies -= 1) entry = emit(draft, item, entry);
  return entry;
}

function indexOfSet(draft: Draft, set: CharSet): number {
  let index = draft.setIndex.get(set.key);
  if (index === undefined) {
    index = draft.sets.push(set) - 1;
    draft.setIndex.set(set.key, index);
  }
  return index;
}

function isAnchored(tree: Tree): boolean {
  switch (tree.kind) {
    case 'assertion':
      return tree.what === 'start';
    case 'sequence':
      return tree.items[0] !== undefined && isAnchored(tree.items[0]);
    case 'either':
      return tree.options.every(isAnchored);
    case 'repeat':
      return tree.min > 0 && isAnchored(tree.item);
    default:
      return false;
  }
}
