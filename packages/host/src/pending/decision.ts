import { isObject } from '@tenon/values/is-object';
import type { Decision, Item } from './item.ts';

const isFieldValue = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (Array.isArray(value) && value.every((one) => typeof one === 'string'));

const SCOPES: readonly unknown[] = ['once', 'session', 'always'];

/** What each member may be, and how that is said. */
const MEMBERS: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  scope: [(value) => SCOPES.includes(value), 'once, session or always'],
  reason: [(value) => typeof value === 'string', 'a text'],
  content: [
    (value) => isObject(value) && Object.values(value).every((one) => one === undefined || isFieldValue(one)),
    'an object of texts, numbers, booleans and lists of texts',
  ],
  cancel: [(value) => typeof value === 'boolean', 'true or false'],
  request: [isObject, 'an object'],
  result: [isObject, 'an object'],
};

/** A decision that came from anywhere, with nothing in it but what a person can say. Throws a `TypeError` if it is none. */
export const parseDecision = (value: unknown): Decision => {
  if (!isObject(value)) throw new TypeError('A decision is an object with "allow"');
  if (typeof value['allow'] !== 'boolean') throw new TypeError('A decision needs "allow": true or false');
  const decision: Record<string, unknown> = { allow: value['allow'] };
  for (const [name, [fits, says]] of Object.entries(MEMBERS)) {
    const member = value[name];
    if (member === undefined) continue;
    if (!fits(member)) throw new TypeError(`"${name}" of a decision has to be ${says}`);
    decision[name] = member;
  }
  return decision as unknown as Decision;
};

/** A no that no person said. A server that asks is told that nobody answered. */
export const automaticDenial = (item: Item, reason: string): Decision => ({
  allow: false,
  ...(item.kind === 'question' ? { cancel: true } : {}),
  reason,
  automatic: true,
});
