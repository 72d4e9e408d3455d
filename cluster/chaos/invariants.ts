// What must hold, whatever was killed, stopped or cut.

import type { EffectKind } from '../app.ts';
import type { Attempt, History, StartedTask } from './history.ts';

/** A line of the file of effects. */
export interface Effect {
  readonly kind: EffectKind;
  readonly name: string;
}

export function readEffects(text: string): Effect[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const end = line.indexOf(' ');
      return { kind: line.slice(0, end) as EffectKind, name: line.slice(end + 1) };
    });
}

/** All that does not hold, as sentences. */
export function violationsOf(history: History, effects: readonly Effect[]): string[] {
  const counts = new Map<string, number>();
  for (const { kind, name } of effects) if (kind === 'effect') counts.set(name, (counts.get(name) ?? 0) + 1);
  return [
    ...history.violations,
    ...history.attempts.flatMap((attempt) => claimViolations(attempt, counts.get(attempt.name) ?? 0)),
    ...repeatedEffects(effects),
    ...history.tasks.flatMap((task) => taskViolations(task, counts.get(task.name) ?? 0)),
  ];
}

/** How often each kind of action may be carried out: `once` may repeat an action that it has not recorded yet. */
const MOST: Partial<Record<Attempt['kind'], number>> = { act: 1, charge: Infinity, task: Infinity };

/**
 * An acknowledged action has its effect. A call that failed with the claim that nothing was done has none. An action that is not safe to repeat
 * happens at most once.
 */
function claimViolations({ name, kind, failure }: Attempt, count: number): string[] {
  const most = MOST[kind];
  if (most === undefined) return [];
  if (count > most) return [`${name} was carried out ${count} times`];
  if (failure === undefined) return count > 0 || kind === 'task' ? [] : [`${name} was acknowledged, and has no effect`];
  return failure.claim === 'not done' && count > 0
    ? [`${name} has an effect, and its error says that nothing was done: ${failure.message}`]
    : [];
}

/** No action is carried out again after `once` has recorded it. */
function repeatedEffects(effects: readonly Effect[]): string[] {
  const recorded = new Set<string>();
  const repeated: string[] = [];
  for (const { kind, name } of effects) {
    if (kind === 'recorded') recorded.add(name);
    else if (recorded.has(name)) repeated.push(`${name} was carried out again after it had been recorded`);
  }
  return repeated;
}

/** A task whose handle was sent ends once, and every request reports the same end. */
function taskViolations({ name, tool, ends }: StartedTask, count: number): string[] {
  const [first] = ends;
  if (first === undefined) return [`The task ${name} is lost: it has no end`];
  if (ends.some((end) => end !== first)) return [`The task ${name} has several ends: ${ends.join('; ')}`];
  const value = JSON.stringify({ value: name });
  if (first === value && count === 0) return [`The task ${name} has a result, and has no effect`];
  if (tool === 'rework') return first === value ? [] : [`The task ${name} ended with ${first}`];
  if (count > 1) return [`The task ${name} ran ${count} times`];
  if (first === value) return [];
  return /The process that ran this task has ended/.test(first) ? [] : [`The task ${name} ended with ${first}`];
}
