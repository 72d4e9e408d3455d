import type { Effect, Rule } from './rule.ts';
import { isObject } from '@tenon/values/is-object';
import type { Act } from './subject.ts';

/** A rule before validation. */
type RuleInput = Readonly<Record<string, unknown>>;

/** Returns the problem of a rule, or undefined. */
type Check = (rule: RuleInput) => string | undefined;

const EFFECTS: readonly unknown[] = ['allow', 'ask', 'deny'] satisfies Effect[];
const ACTS: readonly unknown[] = ['start', 'call', 'read', 'prompt', 'sample'] satisfies Act[];
const MEMBERS: readonly string[] = [
  'effect',
  'act',
  'server',
  'tool',
  'uri',
  'annotations',
  'arguments',
  'because',
] satisfies (keyof Rule)[];
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

/** Conditions, and the only act that each applies to. */
const CONDITIONS = [
  ['tool', 'call'],
  ['annotations', 'call'],
  ['arguments', 'call'],
  ['uri', 'read'],
] as const;

function listed(names: readonly unknown[]): string {
  return names.map((name) => `"${String(name)}"`).join(', ');
}

const membersProblem: Check = (rule) => {
  if (!EFFECTS.includes(rule['effect'])) return 'needs an "effect": allow, ask or deny';
  const unknown = Object.keys(rule).find((name) => !MEMBERS.includes(name));
  return unknown === undefined ? undefined : `has an unknown member "${unknown}"; known are ${MEMBERS.join(', ')}`;
};

const actProblem: Check = ({ act }) => {
  if (act === undefined) return undefined;
  const acts: readonly unknown[] = Array.isArray(act) ? act : [act];
  if (acts.length === 0)
    return `has an empty "act" and would never apply: name one of ${ACTS.join(', ')}, or leave it out`;
  const unknown = acts.find((name) => !ACTS.includes(name));
  const isKnown = acts.every((name) => ACTS.includes(name));
  return isKnown ? undefined : `has an unknown "act" '${String(unknown)}'; known are ${ACTS.join(', ')}`;
};

const textProblem: Check = (rule) => {
  for (const name of ['server', 'tool', 'uri', 'because']) {
    const text = rule[name];
    if (text === undefined) continue;
    if (typeof text !== 'string') return `needs a string as "${name}"`;
    if (text === '' && name !== 'because')
      return `has an empty "${name}" and would never apply: write a name, or * for any, or leave it out`;
  }
  return undefined;
};

const annotationsProblem: Check = ({ annotations }) => {
  if (annotations === undefined) return undefined;
  if (!isObject(annotations)) return 'needs an object as "annotations", such as { "readOnlyHint": true }';
  const names = Object.keys(annotations);
  if (names.length === 0) return 'has no annotation in "annotations": name one, or leave it out';
  const unknown = names.find((name) => name !== 'title' && !HINTS.includes(name));
  if (unknown !== undefined)
    return `has an unknown annotation "${unknown}" and would never apply; known are ${HINTS.join(', ')} and title`;
  const invalid = names.find((name) => typeof annotations[name] !== (name === 'title' ? 'string' : 'boolean'));
  return invalid === undefined
    ? undefined
    : `needs ${invalid === 'title' ? 'a string' : 'true or false'} as annotation "${invalid}"`;
};

const argumentsProblem: Check = ({ arguments: condition }) => {
  if (condition === undefined || typeof condition === 'function') return undefined;
  if (!isObject(condition))
    return 'needs an object of globs as "arguments", such as { "path": "/tmp/*" }, or a function';
  const names = Object.keys(condition);
  if (names.length === 0) return 'has no argument in "arguments": name one, or leave it out';
  const invalid = names.find((name) => typeof condition[name] !== 'string');
  return invalid === undefined ? undefined : `needs a glob as argument "${invalid}": a string, such as "*"`;
};

/** Conditions that exclude each other. */
const conflictProblem: Check = (rule) => {
  const given = CONDITIONS.filter(([name]) => rule[name] !== undefined);
  const [first] = given;
  if (rule['effect'] === 'ask' && [rule['act']].flat().includes('prompt'))
    return 'has the "effect" "ask" and the "act" "prompt" and would never apply: people choose prompts themselves. Only "deny" prevents one';
  if (first === undefined) return undefined;
  const other = given.find(([, act]) => act !== first[1]);
  if (other !== undefined)
    return `has "${first[0]}" and "${other[0]}" and would never apply: one applies to calls, the other to reads. Write two rules`;
  if (rule['act'] === undefined) return undefined;
  const invalid = [rule['act']].flat().filter((act) => act !== first[1]);
  return invalid.length === 0
    ? undefined
    : `has the "act" ${listed(invalid)} and "${first[0]}", which applies only to a ${first[1]}. Remove one of them`;
};

const CHECKS: readonly Check[] = [
  membersProblem,
  actProblem,
  textProblem,
  annotationsProblem,
  argumentsProblem,
  conflictProblem,
];

/** Why a rule would be misunderstood or never apply. Undefined if it is valid. */
export function ruleProblem(rule: unknown): string | undefined {
  if (!isObject(rule)) return 'is not an object';
  for (const check of CHECKS) {
    const problem = check(rule);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
