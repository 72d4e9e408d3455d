import { isObject } from '@tenon/values/is-object';
import { byName, own, type Reading, type Schema, textCost, TOO_LARGE } from './reading.ts';
import { describe } from './describe.ts';
import { type MemberNode, NEVER, type TypeNode, unionOf, unknownType } from './type-node.ts';

function membersOf(schema: Schema, reading: Reading, depth: number): MemberNode[] | undefined {
  const properties = own(schema, 'properties');
  const known = new Map<string, unknown>(isObject(properties) ? Object.entries(properties) : []);
  const list = own(schema, 'required');
  const required = new Set((Array.isArray(list) ? list : []).filter((name) => typeof name === 'string'));
  for (const name of required) if (!known.has(name)) known.set(name, true);
  if (!reading.spend(known.size + textCost([...known.keys()]))) return undefined;
  return [...known].sort(byName).map(([name, property]) => {
    const comment = describe(property);
    return {
      name,
      isOptional: !required.has(name),
      type: reading.read(property, depth + 1),
      comment: reading.spend(textCost(comment)) ? comment : [],
    };
  });
}

/** The type of the members that are not listed; undefined if the schema does not restrict them. */
function otherMembers(schema: Schema, reading: Reading, depth: number): TypeNode | undefined {
  const patterns = own(schema, 'patternProperties');
  const types = isObject(patterns)
    ? Object.entries(patterns)
        .sort(byName)
        .map(([, pattern]) => reading.read(pattern, depth + 1))
    : [];
  const others = own(schema, 'additionalProperties') ?? own(schema, 'unevaluatedProperties');
  if (others === undefined && types.length === 0) return undefined;
  return unionOf([...types, others === undefined ? unknownType() : reading.read(others, depth + 1)]);
}

/** The type of the objects that a schema allows. */
export function objectType(schema: Schema, reading: Reading, depth: number, isPart: boolean): TypeNode {
  const members = membersOf(schema, reading, depth);
  if (members === undefined) return unknownType(TOO_LARGE);
  const others = otherMembers(schema, reading, depth);
  const isClosed = others === NEVER;
  if (members.length > 0) {
    if (others === undefined || isClosed) return { kind: 'object', members, index: undefined, isWeak: false };
    const isAny = others.kind === 'word' && others.text === 'unknown';
    // The type of an index has to fit the listed members, too, so it cannot be narrower.
    const index = unknownType(isAny ? others.note : 'the schema says more about members that are not listed');
    return { kind: 'object', members, index, isWeak: false };
  }
  if (others !== undefined && !isClosed) return { kind: 'object', members, index: others, isWeak: false };
  // An object whose list of members is empty has no members, unless another part of the schema lists some. A server may add members to its
  // results.
  const isEmpty = !isPart && (isClosed || (reading.isInput && isObject(own(schema, 'properties'))));
  return { kind: 'object', members, index: isEmpty ? NEVER : unknownType(), isWeak: !isEmpty };
}
