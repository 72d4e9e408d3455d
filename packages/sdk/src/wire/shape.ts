import { isIconSource } from '../protocol/content.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';

/** A value of a peer has the wrong shape; the message says where: `tools[3].inputSchema must be an object`. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';

  constructor(path: string, expected: string) {
    super(`${path === '' ? 'it' : path} must be ${expected}`);
  }
}

/** Called for malformed parts that were left out. */
export type Report = (problem: string) => void;

/** Checks a value: returns it, or a copy without malformed optional parts; throws `Mismatch`. */
export type Shape = (value: unknown, path: string, report?: Report) => unknown;

function check(test: (value: unknown) => boolean, expected: string): Shape {
  return (value, path) => {
    if (!test(value)) throw new Mismatch(path, expected);
    return value;
  };
}

export const text: Shape = check((value) => typeof value === 'string', 'a string');
export const number: Shape = check((value) => typeof value === 'number', 'a number');
export const flag: Shape = check((value) => typeof value === 'boolean', 'a boolean');
export const object: Shape = check(isObject, 'an object');

/** The allowed sources of icons (Icons, base protocol): others are never loaded. */
export const iconSource: Shape = check(
  (value) => typeof value === 'string' && isIconSource(value),
  'an https: or data: URI',
);

/** One of several strings. */
export function oneOf(...words: readonly string[]): Shape {
  return check((value) => words.includes(value as string), `one of ${words.join(', ')}`);
}

/** An array whose elements all have this shape. */
export function listOf(shape: Shape): Shape {
  return (value, path, report) => {
    if (!Array.isArray(value)) throw new Mismatch(path, 'an array');
    let out: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const now = shape(value[index], `${path}[${index}]`, report);
      if (out === undefined && now !== value[index]) out = value.slice(0, index);
      out?.push(now);
    }
    return out ?? value;
  };
}

/** An array; elements with another shape are left out and reported. */
export function listOfSome(shape: Shape): Shape {
  return (value, path, report) => {
    if (!Array.isArray(value)) throw new Mismatch(path, 'an array');
    const kept = value.flatMap((item, index) => {
      try {
        return [shape(item, `${path}[${index}]`, report)];
      } catch (error) {
        if (!(error instanceof Mismatch)) throw error;
        report?.(error.message);
        return [];
      }
    });
    return kept.length === value.length && kept.every((item, index) => item === value[index]) ? value : kept;
  };
}

/**
 * An object with required and optional members. Other members are kept as they are. An optional member that is `null` counts as missing; with a
 * `report`, so does one of another shape.
 */
export function members(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const needed = Object.keys(required);
  const allowed = Object.keys(optional);
  return (value, path, report) => {
    if (!isObject(value)) throw new Mismatch(path, 'an object');
    let out: JsonObject = value;
    for (const name of needed) {
      const now = required[name]!(Object.hasOwn(value, name) ? value[name] : undefined, at(path, name), report);
      if (now !== value[name]) out = changed(out, value, name, now);
    }
    for (const name of allowed) {
      if (!Object.hasOwn(value, name) || value[name] === undefined) continue;
      const now = value[name] === null ? undefined : tolerate(optional[name]!, value[name], at(path, name), report);
      if (now !== value[name]) out = changed(out, value, name, now);
    }
    return out;
  };
}

/** Sets a member in a copy of `value`, which is made with the first change. */
function changed(out: JsonObject, value: JsonObject, name: string, now: unknown): JsonObject {
  const copy = out === value ? { ...value } : out;
  if (now === undefined) delete copy[name];
  else copy[name] = now;
  return copy;
}

function tolerate(shape: Shape, value: unknown, path: string, report: Report | undefined): unknown {
  if (report === undefined) return shape(value, path);
  try {
    return shape(value, path, report);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    report(error.message);
    return undefined;
  }
}

function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
