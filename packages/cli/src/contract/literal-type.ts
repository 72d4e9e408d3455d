import { isObject } from '@tenon/values/is-object';
import { byName, type Reading, textCost, TOO_LARGE } from './reading.ts';
import { stringLiteral } from './source-text.ts';
import { type TypeNode, unionOf, unknownType, word } from './type-node.ts';

/** Longer texts do not become literal types. */
const MAX_TEXT = 500;
/** More alternatives take the compiler long, and are unreadable. */
const MAX_CHOICES = 1_000;
const MAX_DEPTH = 10;

function numberType(value: number): TypeNode {
  // A JSON number that is too large for a double becomes infinite.
  return Number.isFinite(value) ? word(String(value === 0 ? 0 : value)) : word('number');
}

function textType(value: string, reading: Reading): TypeNode {
  if (value.length > MAX_TEXT) return word('string', `a text of more than ${MAX_TEXT} characters`);
  return reading.spend(textCost([value])) ? word(stringLiteral(value)) : word('string', TOO_LARGE);
}

/** The type that has only this value. */
export function literalType(value: unknown, reading: Reading, depth = 0): TypeNode {
  if (!reading.spend(1)) return unknownType(TOO_LARGE);
  if (typeof value === 'string') return textType(value, reading);
  if (typeof value === 'number') return numberType(value);
  if (typeof value === 'boolean' || value === null) return word(String(value));
  if (depth >= MAX_DEPTH) return unknownType('a value that is nested too deeply');
  if (Array.isArray(value)) {
    const items = value.map((item) => literalType(item, reading, depth + 1));
    return { kind: 'tuple', items, required: items.length, rest: undefined, isReadonly: reading.isInput };
  }
  if (!isObject(value)) return unknownType('not a value of JSON');
  if (!reading.spend(textCost(Object.keys(value)))) return unknownType(TOO_LARGE);
  const members = Object.entries(value)
    .sort(byName)
    .map(([name, one]) => ({
      name,
      isOptional: false,
      type: literalType(one, reading, depth + 1),
      comment: [],
    }));
  return {
    kind: 'object',
    members,
    index: members.length === 0 ? word('never') : undefined,
    isWeak: false,
  };
}

function baseOf(value: unknown): TypeNode {
  const type = value === null ? 'null' : typeof value;
  return ['string', 'number', 'boolean', 'null'].includes(type) ? word(type) : unknownType();
}

/** The type that has these values. */
export function choiceType(values: readonly unknown[], reading: Reading): TypeNode {
  if (values.length <= MAX_CHOICES) return unionOf(values.map((value) => literalType(value, reading)));
  const wide = unionOf(values.map(baseOf));
  return { ...wide, note: `one of ${values.length} values` };
}
