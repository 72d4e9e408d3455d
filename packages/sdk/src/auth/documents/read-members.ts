import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { Syntax } from '../grammar.ts';

/** The members of a document that are read, with their syntax. Other members are ignored. */
export type Members = Readonly<Record<string, Member<unknown>>>;

/** A member that may be missing. Many servers write `null` for a missing value, so it counts as missing. */
export interface Member<T> extends Syntax<T> {
  readonly isRequired?: boolean;
}

/** A member without which the document is useless. */
export interface RequiredMember<T> extends Member<T> {
  readonly isRequired: true;
}

export function required<T>(syntax: Syntax<T>): RequiredMember<T> {
  return { ...syntax, isRequired: true };
}

/** The members that were read from a document. */
export type Read<M extends Members> = {
  readonly [Name in keyof M]: M[Name] extends RequiredMember<infer T>
    ? T
    : M[Name] extends Member<infer T>
      ? T | undefined
      : never;
};

/** The source of a document. */
export interface Source {
  /** The start of the error sentence: `The answer of the token endpoint`. */
  readonly what: string;
  /** The error for an invalid document. `member`: the invalid member. The sentence contains no values of the document. */
  refuse(sentence: string, member?: string): Error;
}

/**
 * Reads members without conversion: a value of another type or syntax is refused. Throws the error of `source`.
 *
 * @example readMembers({ active: true }, { active: required(FLAG) }, source).active // true
 */
export function readMembers<M extends Members>(value: JsonObject, members: M, source: Source): Read<M> {
  const read: Record<string, unknown> = {};
  for (const [name, syntax] of Object.entries(members)) {
    const found = Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined;
    if (found === undefined) {
      if (syntax.isRequired === true) throw source.refuse(`${source.what} has no \`${name}\``, name);
    } else if (syntax.fits(found)) read[name] = found;
    else throw source.refuse(`${source.what} has an invalid \`${name}\`: it must be ${syntax.words}`, name);
  }
  return read as Read<M>;
}
