import { readSchema, type ValidationIssue } from 'tenon/schema';
import type { Part } from '../values/schema/shape.ts';
import { walkSchema } from '../values/schema/walk-schema.ts';
import { isObject } from '@tenon/values/is-object';
import type { Json } from '../values/words.ts';
import { candidates, makeValue } from './candidates.ts';
import type { Maker } from './maker.ts';

/** Options for a sample. */
export interface SampleOptions {
  /** Include optional properties. Default: only those with a default. */
  readonly optional?: boolean;
  /** Another number yields another sample, if there is one. Default: 0. */
  readonly seed?: number;
  /** The schema in which `#/…` is resolved, if `schema` is a part of it. Default: `schema`. */
  readonly root?: unknown;
}

/** A sample, and whether the schema allows it. */
export interface Sample {
  readonly value: unknown;
  readonly valid: boolean;
  /** Its validation issues. The schema may allow no value, be invalid, or be too hard to satisfy. */
  readonly issues: readonly ValidationIssue[];
}

/** The most schemas processed for one sample. */
const MAX_STEPS = 4_000;
/** The most values tried for the whole sample. */
const TRIES = 200;
/** The name under which a part is added to its root. */
const PART = 'the part of which a sample is made';

/**
 * A value that a JSON Schema allows, as plausible as its names suggest: its default or an example if there is one, otherwise
 * generated from types, formats, bounds and patterns. Formats are respected if they can be validated. Never throws, and ends soon
 * whatever the schema is.
 *
 * @example sampleOf({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }).value // { city: 'Zurich' }
 */
export function sampleOf(schema: unknown, options: SampleOptions = {}): Sample {
  const { optional = false, seed = 0, root = schema } = options;
  const [document, place] = documentOf(schema, root);
  const read = readSchema(document, { formats: true });
  const pointers = new Map<unknown, string>();
  for (const { schema: each, at } of walkSchema(document).nodes) if (!pointers.has(each)) pointers.set(each, at);
  const fits = ({ schema: each }: Part, value: unknown): boolean => {
    if (typeof each === 'boolean') return each;
    const at = pointers.get(each);
    return at === undefined || read.check(value, at).length === 0;
  };
  const maker: Maker = {
    optional,
    seed: Math.trunc(Math.abs(seed)) % 1_000_000 || 0,
    budget: { left: MAX_STEPS },
    fits,
    matches,
    make: (parts, spot) => makeValue(parts, spot, maker),
  };
  const value = firstOf({ document, schema }, maker);
  const unusable = read.dialect === undefined ? (read.problems.at(-1)?.message ?? 'it cannot be read') : undefined;
  const issues =
    unusable === undefined
      ? issuesOf(value, schema, () => read.check(value, place))
      : [{ path: [], message: `The schema cannot be used: ${unusable}` }];
  return { value, valid: issues.length === 0, issues };
}

function issuesOf(
  value: unknown,
  schema: unknown,
  check: () => readonly ValidationIssue[],
): readonly ValidationIssue[] {
  if (schema === false) return [{ path: [], message: 'Nothing is allowed' }];
  return value === undefined ? [{ path: [], message: 'No value was found that is allowed' }] : check();
}

/** The document of a schema, and the path of the schema in it. */
function documentOf(schema: unknown, root: unknown): readonly [document: Json, place: string] {
  if (!isObject(root)) return [isObject(schema) ? schema : {}, ''];
  if (root === schema) return [root, ''];
  const $defs = isObject(root['$defs']) ? root['$defs'] : {};
  return [{ ...root, $defs: { ...$defs, [PART]: schema } }, `/$defs/${PART}`];
}

/** A pattern that cannot be compiled matches nothing. */
function matches(pattern: string, name: string): boolean {
  const { problems, check } = readSchema({ pattern });
  return problems.length === 0 && check(name).length === 0;
}

/** The first candidate that matches; if none does, the first. */
function firstOf(part: Part, maker: Maker): unknown {
  let first: unknown;
  let tries = 0;
  for (const value of candidates(
    [part],
    { name: undefined, turn: maker.seed, depth: 0, stack: [], done: new Set() },
    maker,
  )) {
    if (maker.fits(part, value)) return value;
    first ??= value;
    tries += 1;
    if (tries >= TRIES) break;
  }
  return first;
}
