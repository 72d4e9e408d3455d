import { isObject } from '../../protocol/jsonrpc.ts';
import { kindOf, quoted } from '../quoted.ts';
import { SchemaError } from '../schema-error.ts';
import type { Family, Part } from './build.ts';
import { makeJsonIndex, sameJson } from './equal.ts';
import type { SchemaNode } from './model.ts';
import { keyword, readArray } from './read.ts';
import { report } from './run.ts';
import { locate } from './tree.ts';

/** The keyword `type`. */
export const typeFamily: Family = (node) => [typePart(node)];

/** The keywords that list allowed values. */
export const valueFamily: Family = (node, { budget }) => {
  const parts: Part[] = [];
  const wanted = keyword(node, 'const');
  if (wanted !== undefined) {
    const message = `must be ${quoted(wanted)}`;
    parts.push({ check: (value, run) => sameJson(value, wanted, run) || report(run, message) });
  }
  const allowed = readArray(node, 'enum');
  if (allowed !== undefined) {
    const known = makeJsonIndex();
    allowed.forEach((value, index) => known.place(value, index, budget));
    const message = `must be one of ${listed(allowed)}`;
    parts.push({ check: (value, run) => known.find(value, run) !== undefined || report(run, message) });
  }
  return parts;
};

const MAX_LISTED = 20;

/** Names or values for a message, at most twenty. */
export function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map(quoted).join(', ');
  return values.length > MAX_LISTED ? `${shown} and ${values.length - MAX_LISTED} more` : shown;
}

type TypeTest = (value: unknown) => boolean;

const TYPES: ReadonlyMap<unknown, { readonly test: TypeTest; readonly phrase: string }> = new Map<
  unknown,
  { test: TypeTest; phrase: string }
>([
  ['string', { test: (value) => typeof value === 'string', phrase: 'a string' }],
  ['number', { test: (value) => typeof value === 'number' && Number.isFinite(value), phrase: 'a number' }],
  ['integer', { test: (value) => Number.isInteger(value), phrase: 'an integer' }],
  ['boolean', { test: (value) => typeof value === 'boolean', phrase: 'a boolean' }],
  ['object', { test: isObject, phrase: 'an object' }],
  ['array', { test: Array.isArray, phrase: 'an array' }],
  ['null', { test: (value) => value === null, phrase: 'null' }],
]);

function typePart(node: SchemaNode): Part | undefined {
  const type = keyword(node, 'type');
  if (type === undefined) return undefined;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  const types = names.slice(0, TYPES.size + 1).map((name) => {
    const known = TYPES.get(name);
    if (known === undefined)
      throw new SchemaError(`type ${quoted(name)} is not one of ${listed([...TYPES.keys()])}`, locate(node, 'type'));
    return known;
  });
  if (types.length === 0 || new Set(names).size < names.length)
    throw new SchemaError('type must be a list of different types', locate(node, 'type'));
  const message = `must be ${types.map(({ phrase }) => phrase).join(' or ')}`;
  const { test } = types[0]!;
  if (types.length === 1)
    return { check: (value, run) => test(value) || report(run, message, described(value, message)) };
  return {
    check: (value, run) => types.some((one) => one.test(value)) || report(run, message, described(value, message)),
  };
}

/** The actual kind; for a number that should be an integer, its value. */
function described(value: unknown, message: string): string {
  return typeof value === 'number' && message.includes('integer') ? String(value) : kindOf(value);
}
