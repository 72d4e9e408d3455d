import type { Budget } from '../budget.ts';
import { spend } from '../budget.ts';
import type { CharSet } from './char-set.ts';
import { contains } from './char-set.ts';
import type { Program } from './program.ts';

/** A transition from one character of the pattern to the next; `twice`: there are several ways to make it. */
interface Step {
  readonly to: number;
  readonly twice: boolean;
}

/**
 * Can a backtracking engine take exponential time? It can if a loop can read the same text in two ways and something after the loop can
 * fail: then each iteration doubles the number of ways to try (exponential ambiguity of the automaton: Weber and Seidl 1991).
 *
 * Examines pairs of states that read the same text at the same time; a pair that begins and ends in one state and was apart in between is a
 * second way. Throws `OverBudget` for a pattern with too many pairs.
 */
export function isExponential({ ops, sets, start }: Program, budget: Budget): boolean {
  const steps = ops.map((op) => (op.kind === 'set' ? stepsFrom(ops, op.next, budget) : []));
  const first = stepsFrom(ops, start, budget).map(({ to }) => to);
  const setOf = (state: number): number => (ops[state] as { readonly set: number }).set;
  const overlap = makeOverlap(sets, budget);
  const meet = (a: number, b: number): boolean => overlap(setOf(a), setOf(b));
  const endsAt = (state: number): boolean => endsAtOnce(ops, (ops[state] as { readonly next: number }).next);
  return loopsIn(first, steps).some(
    // If the pattern may end inside the loop, whatever follows, it cannot fail. The states of a loop can all reach each other, so one is
    // enough.
    (loop) => !loop.some(endsAt) && isReadInTwoWays(loop, steps, meet, budget),
  );
}

/** The states that can be reached again, grouped by loop (Tarjan 1972, with an explicit stack). */
function loopsIn(first: readonly number[], steps: readonly (readonly Step[])[]): number[][] {
  const loops: number[][] = [];
  const order = new Map<number, number>();
  const lowest = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  const stack: { readonly state: number; next: number }[] = [];
  const enter = (state: number): void => {
    order.set(state, order.size);
    lowest.set(state, order.size - 1);
    open.push(state);
    isOpen.add(state);
    stack.push({ state, next: 0 });
  };
  const lower = (state: number, to: number): void => void lowest.set(state, Math.min(lowest.get(state)!, to));
  const leave = (state: number): void => {
    if (lowest.get(state) !== order.get(state)) return;
    const loop = open.splice(open.indexOf(state));
    for (const each of loop) isOpen.delete(each);
    if (loop.length > 1 || steps[state]!.some(({ to }) => to === state)) loops.push(loop);
  };
  for (const from of first) {
    if (!order.has(from)) enter(from);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { state } = top;
      const to = steps[state]![top.next]?.to;
      top.next += 1;
      if (to === undefined) {
        leave(state);
        stack.pop();
        const outer = stack.at(-1);
        if (outer !== undefined) lower(outer.state, lowest.get(state)!);
      } else if (!order.has(to)) enter(to);
      else if (isOpen.has(to)) lower(state, order.get(to)!);
    }
  }
  return loops;
}

/** Are there two ways from the first state of a loop back to it over the same text? */
function isReadInTwoWays(
  loop: readonly number[],
  steps: readonly (readonly Step[])[],
  meet: (a: number, b: number) => boolean,
  budget: Budget,
): boolean {
  const inside = new Set(loop);
  const [home] = loop as [number];
  // A pair of states, and whether the two ways have been apart: numbered as (a * n + b) * 2 + apart.
  const n = steps.length;
  const found = new Set<number>([(home * n + home) * 2]);
  for (const place of found) {
    const apart = place % 2;
    const pair = (place - apart) / 2;
    const [a, b] = [Math.floor(pair / n), pair % n];
    for (const one of steps[a]!) {
      if (!inside.has(one.to)) continue;
      for (const other of steps[b]!) {
        spend(budget, 1);
        if (!inside.has(other.to) || !meet(one.to, other.to)) continue;
        const differs = apart === 1 || one.to !== other.to || (a === b && one.twice) ? 1 : 0;
        if (differs === 1 && one.to === home && other.to === home) return true;
        found.add((one.to * n + other.to) * 2 + differs);
      }
    }
  }
  return false;
}

/** The characters that may come next, over paths that use no edge twice: engines do not repeat loops that read nothing. */
function stepsFrom(ops: Program['ops'], from: number, budget: Budget): Step[] {
  const counts = new Map<number, number>();
  const used = new Set<number>();
  const walk = (state: number): void => {
    spend(budget, 2);
    const op = ops[state]!;
    if (op.kind === 'set') counts.set(state, (counts.get(state) ?? 0) + 1);
    else if (op.kind === 'assertion') walk(op.next);
    else if (op.kind === 'split') {
      for (const side of [0, 1]) {
        const edge = state * 2 + side;
        if (used.has(edge)) continue;
        used.add(edge);
        walk(side === 0 ? op.next : op.other);
        used.delete(edge);
      }
    }
  };
  walk(from);
  return [...counts].map(([to, count]) => ({ to, twice: count > 1 }));
}

/** May the pattern end here, whatever follows? */
function endsAtOnce(ops: Program['ops'], from: number): boolean {
  const found = new Set([from]);
  for (const state of found) {
    const op = ops[state]!;
    if (op.kind === 'accept') return true;
    if (op.kind === 'split') found.add(op.next).add(op.other);
  }
  return false;
}

/** Do two sets have a character in common? Tries the ends of their ranges, and some characters of each kind. */
function makeOverlap(sets: readonly CharSet[], budget: Budget): (a: number, b: number) => boolean {
  const points = [...new Set([...COMMON, ...sets.flatMap(edgesOf)])];
  spend(budget, points.length * sets.length);
  const members = sets.map((set) => new Set(points.filter((point) => contains(set, point))));
  const known = new Map<number, boolean>();
  return (a, b) => {
    if (a === b) return true;
    const key = Math.min(a, b) * sets.length + Math.max(a, b);
    let answer = known.get(key);
    if (answer === undefined) {
      answer = [...members[a]!].some((point) => members[b]!.has(point));
      known.set(key, answer);
    }
    return answer;
  };
}

const COMMON = [...'aZ5_-. \n/é中😀'].map((sign) => sign.codePointAt(0)!);

function edgesOf(set: CharSet): number[] {
  return [
    ...set.ranges.flatMap((point) => [point - 1, point, point + 1]).filter((point) => point >= 0 && point <= 0x10ffff),
    ...set.members.flatMap(edgesOf),
  ];
}
