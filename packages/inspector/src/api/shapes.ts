// Shapes of the data that a page sends. The server validates with them, and both sides take their types from them.

/** A value does not have the shape that its route requires. The message names the member, and is for people. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

export interface Shape<T> {
  /** Validates a value and returns it, typed. Throws a `ShapeError` that calls the value `name`. */
  read(value: unknown, name: string): T;
}

/** The shape of a member that may be missing. */
export interface Optional<T> extends Shape<T | undefined> {
  readonly isOptional: true;
}

export type TypeOf<S> = S extends Shape<infer T> ? T : never;

export type Members = Readonly<Record<string, Shape<unknown>>>;

type Flat<T> = { [K in keyof T]: T[K] };

type ObjectOf<M extends Members> = Flat<
  {
    readonly [K in keyof M as M[K] extends Optional<unknown> ? never : K]: TypeOf<M[K]>;
  } & {
    readonly [K in keyof M as M[K] extends Optional<unknown> ? K : never]?: TypeOf<M[K]>;
  }
>;

/** Names, ids and the like, in characters. */
const MAX_SHORT = 1_000;
/** URIs, in characters. */
export const MAX_URI = 10_000;
/** The members of an object with arbitrary names. */
const MAX_NAMES = 1_000;

/** A string of at most `max` characters. */
export function text(max = MAX_SHORT): Shape<string> {
  return {
    read(value, name) {
      if (typeof value !== 'string') throw new ShapeError(`${name} must be a string`);
      if (value.length > max) throw new ShapeError(`${name} must not have more than ${max} characters`);
      return value;
    },
  };
}

/** An integer within bounds. */
export function whole(min: number, max: number): Shape<number> {
  return {
    read(value, name) {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
        throw new ShapeError(`${name} must be a whole number from ${min} to ${max}`);
      return value;
    },
  };
}

export function flag(): Shape<boolean> {
  return {
    read(value, name) {
      if (typeof value !== 'boolean') throw new ShapeError(`${name} must be true or false`);
      return value;
    },
  };
}

/** One of a few values. */
export function choice<const T extends string | true>(choices: readonly T[]): Shape<T> {
  return {
    read(value, name) {
      const found = choices.find((choice) => choice === value);
      if (found === undefined)
        throw new ShapeError(`${name} must be ${choices.length === 1 ? '' : 'one of '}${choices.join(', ')}`);
      return found;
    },
  };
}

export function list<T>(item: Shape<T>, max: number): Shape<readonly T[]> {
  return {
    read(value, name) {
      if (!Array.isArray(value) || value.length > max)
        throw new ShapeError(`${name} must be a list of at most ${max} items`);
      return value.map((one: unknown, i) => item.read(one, `${name}[${i}]`));
    },
  };
}

export function optional<T>(shape: Shape<T>): Optional<T> {
  return { isOptional: true, read: (value, name) => (value === undefined ? undefined : shape.read(value, name)) };
}

/** The members of an object. A map, so that a received name such as `__proto__` never reaches an inherited member. */
function membersOf(value: unknown, name: string): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ShapeError(`${name} must be an object`);
  return new Map(Object.entries(value));
}

/** An object with these members. Other members are dropped. */
export function object<const M extends Members>(members: M): Shape<ObjectOf<M>> {
  return {
    read(value, name) {
      const given = membersOf(value, name);
      const read = Object.entries(members).map(([key, shape]) => [key, shape.read(given.get(key), key)] as const);
      return Object.fromEntries(read.filter(([, member]) => member !== undefined)) as ObjectOf<M>;
    },
  };
}

/** An object with arbitrary names whose members all have one shape. */
export function record<T>(member: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    read(value, name) {
      const given = [...membersOf(value, name)];
      if (given.length > MAX_NAMES) throw new ShapeError(`${name} must not have more than ${MAX_NAMES} members`);
      return Object.fromEntries(given.map(([key, one]) => [key, member.read(one, key)]));
    },
  };
}

/** An object with one of these members. If it has several, the first in this order counts. */
export function oneMember<const M extends Members>(
  members: M,
): Shape<{ readonly [K in keyof M]: { readonly [P in K]: TypeOf<M[K]> } }[keyof M]> {
  return {
    read(value, name) {
      const given = membersOf(value, name);
      const found = Object.keys(members).find((key) => given.get(key) !== undefined);
      if (found === undefined) throw new ShapeError(`${name} must have one of ${Object.keys(members).join(', ')}`);
      return { [found]: members[found]!.read(given.get(found), found) } as never;
    },
  };
}

/** An object whose member `tag` selects the shape of its other members. */
export function variants<const Tag extends string, const V extends Members>(
  tag: Tag,
  shapes: V,
): Shape<{ [K in keyof V]: { readonly [P in Tag]: K } & TypeOf<V[K]> }[keyof V]> {
  const tags = choice(Object.keys(shapes));
  return {
    read(value, name) {
      const which = tags.read(membersOf(value, name).get(tag), tag);
      return { [tag]: which, ...(shapes[which]!.read(value, name) as object) } as never;
    },
  };
}

// Query values arrive as strings.

/** A number within bounds. */
export function queryNumber(min: number, max: number): Shape<number> {
  return {
    read(value, name) {
      if (typeof value !== 'string' || !/^-?\d{1,15}(?:\.\d{1,6})?$/.test(value))
        throw new ShapeError(`${name} must be a number`);
      const number = Number(value);
      if (number < min || number > max) throw new ShapeError(`${name} must be from ${min} to ${max}`);
      return number;
    },
  };
}

/** An integer within bounds. */
export function queryWhole(min: number, max: number): Shape<number> {
  const integer = whole(min, max);
  const number = queryNumber(min, max);
  return { read: (value, name) => integer.read(number.read(value, name), name) };
}

/** Positive integers, separated by commas. */
export function queryNumbers(max: number): Shape<readonly number[]> {
  return {
    read(value, name) {
      const texts = typeof value === 'string' ? value.split(',', max + 1) : [''];
      if (texts.length > max) throw new ShapeError(`${name} must not have more than ${max} numbers`);
      if (!texts.every((one) => /^\d{1,10}$/.test(one)))
        throw new ShapeError(`${name} must be numbers with commas between them`);
      return texts.map(Number);
    },
  };
}
