import { spend } from '../budget.ts';
import type { Budget } from '../budget.ts';
import { contains, isWord, weight } from './char-set.ts';
import type { Program } from './program.ts';

/** The memory for states of matchers, shared by all patterns of one schema so that a peer can't fill the memory. */
export interface Pool {
  left: number;
}

/** Does the pattern match somewhere in `text`? Takes linear time, which is taken from the budget. */
export interface Matcher {
  (text: string, budget: Budget): boolean;
}

/** The sets of automaton states reachable after some text, with the properties of that text that `\b` and `^` need. */
interface State {
  readonly kernel: readonly number[];
  readonly before: Before;
  /** By character class; 0 is the end of the text. */
  readonly next: (State | undefined)[];
}

type Before = typeof AT_START | typeof WORD | typeof OTHER;
const AT_START = 0;
const WORD = 1;
const OTHER = 2;

const END = -1;
const END_CLASS = 0;
const UNKNOWN = -1;
function terminal(): State {
  return { kernel: [], before: OTHER, next: [] };
}
const MATCHED = terminal();
const DEAD = terminal();

/**
 * Runs the automaton on all its states at once and caches every step in a deterministic automaton (Thompson 1968; the lazy construction of
 * RE2). The cache only saves time, so a full pool makes the matcher slower, not wrong.
 */
export function makeMatcher(program: Program, pool: Pool): Matcher {
  const classes = makeClasses(program, pool);
  const steps = makeSteps(program);
  const states = new Map<string, State>();

  const intern = (kernel: number[], before: Before): State => {
    kernel.sort((a, b) => a - b);
    const key = `${before}:${kernel.join()}`;
    let state = states.get(key);
    if (state === undefined) {
      state = { kernel, before, next: [] };
      const cost = 8 + kernel.length * 2;
      if (pool.left >= cost) {
        pool.left -= cost;
        states.set(key, state);
      }
    }
    return state;
  };

  const advance = (state: State, point: number, id: number, budget: Budget): State => {
    const kernel = steps(state, point, budget);
    let next: State;
    if (kernel === undefined) next = MATCHED;
    else if (point === END || (kernel.length === 0 && program.anchored)) next = DEAD;
    else {
      if (!program.anchored && !kernel.includes(program.start)) kernel.push(program.start);
      next = intern(kernel, program.boundaries && isWord(point) ? WORD : OTHER);
    }
    if (id !== UNKNOWN && pool.left > 0) {
      pool.left -= 1;
      state.next[id] = next;
    }
    return next;
  };

  const first = intern([program.start], AT_START);
  return (text, budget) => {
    spend(budget, 2 + (text.length >> 3));
    let state = first;
    for (let at = 0; at < text.length;) {
      const point = text.codePointAt(at)!;
      at += point > 0xffff ? 2 : 1;
      const id = classes(point, budget);
      state = (id === UNKNOWN ? undefined : state.next[id]) ?? advance(state, point, id, budget);
      if (state === MATCHED) return true;
      if (state === DEAD) return false;
    }
    return (state.next[END_CLASS] ?? advance(state, END, END_CLASS, budget)) === MATCHED;
  };
}

/**
 * One step: all states that can be reached from `state` over the code point `point` (or END). Undefined if the pattern has already matched
 * before it.
 */
function makeSteps({ ops, sets }: Program): (state: State, point: number, budget: Budget) => number[] | undefined {
  const weights = sets.map(weight);
  // Marks are increasing numbers, so the lists never have to be cleared.
  let mark = 0;
  let visited: Float64Array | undefined;
  let reached: Float64Array | undefined;

  return ({ kernel, before }, point, budget) => {
    if (visited === undefined) {
      spend(budget, 100 + ops.length);
      visited = new Float64Array(ops.length);
      reached = new Float64Array(ops.length);
    }
    mark += 1;
    const after = point === END ? END : isWord(point) ? WORD : OTHER;
    const result: number[] = [];
    const todo = [...kernel];
    let cost = 2;
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (visited[at] === mark) continue;
      visited[at] = mark;
      cost += 1;
      const op = ops[at]!;
      if (op.kind === 'accept') {
        spend(budget, cost);
        return undefined;
      }
      if (op.kind === 'split') todo.push(op.other, op.next);
      else if (op.kind === 'assertion') {
        if (holds(op.what, before, after)) todo.push(op.next);
      } else if (point !== END) {
        cost += weights[op.set]!;
        if (reached![op.next] !== mark && contains(sets[op.set]!, point)) {
          reached![op.next] = mark;
          result.push(op.next);
        }
      }
    }
    spend(budget, cost);
    return result;
  };
}

function holds(what: string, before: Before, after: number): boolean {
  if (what === 'start') return before === AT_START;
  if (what === 'end') return after === END;
  return ((before === WORD) !== (after === WORD)) === (what === 'boundary');
}

/** Maps code points to classes: code points of one class are in the same sets of the program. */
function makeClasses({ sets, boundaries }: Program, pool: Pool): (point: number, budget: Budget) => number {
  const ascii: number[] = [];
  const others = new Map<number, number>();
  const bySignature = new Map<string, number>();
  const work = sets.reduce((sum, set) => sum + weight(set), 2);

  const signature = (point: number): string => {
    let text = boundaries && isWord(point) ? 'w' : '';
    let bits = 0;
    sets.forEach((set, index) => {
      bits = (bits << 1) | (contains(set, point) ? 1 : 0);
      if (index % 16 === 15 || index === sets.length - 1) {
        text += String.fromCharCode(bits);
        bits = 0;
      }
    });
    return text;
  };

  const classify = (point: number, budget: Budget): number => {
    if (pool.left <= 0) return UNKNOWN;
    spend(budget, work);
    const key = signature(point);
    let id = bySignature.get(key);
    if (id === undefined) {
      id = bySignature.size + 1;
      bySignature.set(key, id);
      pool.left -= 4 + (key.length >> 2);
    }
    pool.left -= 2;
    if (point < 128) ascii[point] = id;
    else others.set(point, id);
    return id;
  };

  return (point, budget) => (point < 128 ? ascii[point] : others.get(point)) ?? classify(point, budget);
}
