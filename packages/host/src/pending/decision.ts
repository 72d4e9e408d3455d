import { isObject } from '@tenon/values/is-object';
import { DecisionError } from './decision-error.ts';
import type { Decision, Item } from './item.ts';

/** Whether a value can be that of a field of a form. */
export function isFieldValue(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    (Array.isArray(value) && value.every((one) => typeof one === 'string'))
  );
}

const SCOPES: readonly unknown[] = ['once', 'session', 'always'];

/** The check of each optional member, and its description for error messages. */
const MEMBERS: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  scope: [(value) => SCOPES.includes(value), '"once", "session" or "always"'],
  reason: [(value) => typeof value === 'string', 'a string'],
  content: [
    (value) => isObject(value) && Object.values(value).every((one) => one === undefined || isFieldValue(one)),
    'an object of strings, numbers, booleans and lists of strings',
  ],
  cancel: [(value) => typeof value === 'boolean', 'true or false'],
  request: [isObject, 'an object'],
  result: [isObject, 'an object'],
};

/** Validates a decision from an untrusted source, and drops members that a person cannot set. Throws a `DecisionError` if it is invalid. */
export function parseDecision(value: unknown): Decision {
  if (!isObject(value)) throw new DecisionError([{ path: [], message: 'must be an object with "allow"' }]);
  const { allow } = value;
  if (typeof allow !== 'boolean') throw new DecisionError([{ path: ['allow'], message: 'must be true or false' }]);
  const decision: Record<string, unknown> = { allow };
  for (const [name, [fits, says]] of Object.entries(MEMBERS)) {
    const member = value[name];
    if (member === undefined) continue;
    if (!fits(member)) throw new DecisionError([{ path: [name], message: `must be ${says}` }]);
    decision[name] = member;
  }
  return decision as unknown as Decision;
}

/** A denial that was not made by a person. For a server's question it counts as cancelled. */
export function automaticDenial(item: Item, reason: string): Decision {
  const denial: Decision = { allow: false, reason, automatic: true };
  return item.kind === 'question' ? { ...denial, cancel: true } : denial;
}
