import type { JsonSchema } from '../../protocol/entities.ts';
import { OverBudget } from '../budget.ts';
import type { ValidationIssue } from '../issue.ts';
import { SchemaError } from '../schema-error.ts';
import { arrayFamily } from './arrays.ts';
import { assemble } from './build.ts';
import type { Build, Family } from './build.ts';
import { tolerating } from './faults.ts';
import { logicFamily, referenceFamily, withGot } from './logic.ts';
import type { Check, Run, SchemaNode } from './model.ts';
import { numberFamily } from './numbers.ts';
import { objectFamily } from './objects.ts';
import { refuseEndlessReferences, resolveReferences } from './references.ts';
import { stringFamily } from './strings.ts';
import { grow } from './tree.ts';
import type { SchemaDocument } from './tree.ts';
import { withUnevaluated } from './unevaluated.ts';
import { typeFamily, valueFamily } from './values.ts';

/** A schema that is ready to check values. */
export interface CompiledSchema {
  /** What is wrong with a JSON value: nothing (`[]`) when it is valid, at most `limits.issues` problems otherwise. Never throws. */
  validate(value: unknown): ValidationIssue[];
  /** What of the schema is not checked, and why. */
  readonly warnings: readonly string[];
}

/** How a schema is compiled. */
export interface CompileOptions {
  /** The schema comes from a peer: small faults are tolerated, and a pattern that can't be run safely is left out with a warning. */
  readonly untrusted?: boolean;
  /** What to do about a pattern that can't be run safely. Default: `skip` when untrusted, else `error`. */
  readonly onUnsafePattern?: 'error' | 'skip';
  /** Check `format` where it is `email`, `uri`, `date` or `date-time`; without it, formats are remarks. Default: false. */
  readonly formats?: boolean;
  readonly limits?: Partial<SchemaLimits>;
}

/** What a schema may cost. A step is some ten nanoseconds. */
export interface SchemaLimits {
  /** Deepest nesting of schemas. */
  readonly depth: number;
  /** Most schemas, all levels together. */
  readonly subschemas: number;
  /** Most steps of compiling. */
  readonly compileSteps: number;
  /** Most steps of checking one value. */
  readonly validateSteps: number;
  /** Most problems reported for one value. */
  readonly issues: number;
}

/** The defaults; compiling and checking stay under some 100 ms each on a slow machine. */
export const DEFAULT_SCHEMA_LIMITS: SchemaLimits = {
  depth: 64,
  subschemas: 10_000,
  compileSteps: 500_000,
  validateSteps: 2_000_000,
  issues: 20,
};

const POOL = 30_000;

const limitsOf = (some: Partial<SchemaLimits> = {}): SchemaLimits => {
  for (const [name, value] of Object.entries(some)) {
    if (!(Number.isFinite(value) && value > 0))
      throw new TypeError(`The schema limit '${name}' must be a positive finite number`);
  }
  return { ...DEFAULT_SCHEMA_LIMITS, ...some };
};

/**
 * Compiles a JSON Schema: dialect 2020-12, or 2019-09 and draft-07 where `$schema` says so. Nothing is fetched and no
 * code is generated; whatever the schema says, compiling and checking end within the limits.
 *
 * Throws a `SchemaError` that says what is wrong with the schema, and where; a `TypeError` for a limit that is none.
 *
 * @example compileSchema({ type: 'number' }).validate('1') // [{ path: [], message: 'must be a number, got a string' }]
 */
export const compileSchema = (schema: JsonSchema | boolean, options: CompileOptions = {}): CompiledSchema => {
  const limits = limitsOf(options.limits);
  const { root, warnings } = buildTree(schema, options, limits, undefined);
  return { validate: validator(root.check, limits), warnings };
};

/** A schema that may have faults. */
export interface ExaminedSchema {
  /** Undefined: it cannot be used at all, for the last of the faults. */
  readonly root: SchemaNode | undefined;
  readonly faults: readonly SchemaError[];
  /** What is surely wrong with a value for a part of the schema. Never throws. */
  validate(value: unknown, part: SchemaNode): ValidationIssue[];
}

/** The same for a schema whose faults are all wanted: what is at fault is not held against a value. Never throws a `SchemaError`. */
export const examineSchema = (schema: unknown, options: CompileOptions = {}): ExaminedSchema => {
  const limits = limitsOf(options.limits);
  const faults = new Map<string, SchemaError>();
  const validate = (value: unknown, part: SchemaNode) => validator(part.check, limits)(value);
  try {
    const { root } = buildTree(schema, options, limits, faults);
    return { root, faults: [...faults.values()], validate };
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return { root: undefined, faults: [...faults.values(), error], validate };
  }
};

const buildTree = (
  schema: unknown,
  options: CompileOptions,
  limits: SchemaLimits,
  faults: Map<string, SchemaError> | undefined,
): { root: SchemaNode; warnings: readonly string[] } => {
  const { untrusted = false, formats = false, onUnsafePattern = untrusted ? 'skip' : 'error' } = options;
  const budget = { steps: limits.compileSteps };
  const document: SchemaDocument = {
    nodes: [],
    resources: new Map(),
    budget,
    maxDepth: limits.depth,
    maxNodes: limits.subschemas,
    dynamic: false,
    faults,
  };
  const warnings: string[] = [];
  const build: Build = {
    document,
    budget,
    pool: { left: POOL },
    formats,
    untrusted,
    skipPatterns: onUnsafePattern === 'skip',
    warnings,
  };
  try {
    const root = grow(document, schema);
    resolveReferences(document);
    refuseEndlessReferences(document);
    for (const node of document.nodes) {
      const check = tolerating(document, () => buildCheck(node, build));
      node.check = check === undefined || node.faulty ? undecided : check;
    }
    return { root, warnings };
  } catch (error) {
    if (error instanceof OverBudget)
      throw new SchemaError(`The schema can't be compiled: ${error.message}`, '', 'size');
    throw error;
  }
};

/** The check of a schema that is at fault: it may mean anything. */
const undecided: Check = (_, run) => {
  run.unsure = true;
  if (run.seen !== undefined) run.seen.all = true;
  return true;
};

/** In the order in which they check; `type` first. */
const FAMILIES: readonly (readonly [family: Family, keywords: string])[] = [
  [typeFamily, 'type'],
  [valueFamily, 'const enum'],
  [numberFamily, 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'],
  [stringFamily, 'minLength maxLength pattern format'],
  [referenceFamily, '$ref $dynamicRef $recursiveRef'],
  [
    objectFamily,
    'required minProperties maxProperties dependentRequired dependencies propertyNames properties patternProperties additionalProperties',
  ],
  [arrayFamily, 'minItems maxItems prefixItems items additionalItems contains minContains maxContains uniqueItems'],
  [logicFamily, 'allOf anyOf oneOf not if dependentSchemas dependencies'],
];
const FAMILIES_OF = new Map<string, number[]>();
FAMILIES.forEach(([, keywords], index) => {
  for (const name of keywords.split(' ')) FAMILIES_OF.set(name, [...(FAMILIES_OF.get(name) ?? []), index]);
});

const buildCheck = (node: SchemaNode, build: Build): Check => {
  if (node.dialect.refAlone && node.ref !== undefined)
    return assemble(node, build, [referenceFamily], (_, check) => check);
  const wanted = new Set(Object.keys(node.schema).flatMap((name) => FAMILIES_OF.get(name) ?? []));
  const families = FAMILIES.filter((_, index) => wanted.has(index)).map(([family]) => family);
  return assemble(node, build, families, withUnevaluated);
};

const validator =
  (check: Check, limits: SchemaLimits) =>
  (value: unknown): ValidationIssue[] => {
    const run: Run = {
      steps: limits.validateSteps,
      depth: 0,
      collect: false,
      issues: [],
      maxIssues: limits.issues,
      path: [],
      unsure: false,
      seen: undefined,
      names: undefined,
      scope: undefined,
    };
    const { issues } = run;
    let failed = false;
    try {
      if (check(value, run)) return [];
      failed = true;
      // Only now, for the few values that are wrong, is it worked out what exactly is wrong with them.
      Object.assign(run, { depth: 0, collect: true, seen: undefined, scope: undefined });
      check(value, run);
    } catch (error) {
      // A RangeError is the engine's: little stack was left when the check began.
      if (!(error instanceof OverBudget || error instanceof RangeError)) throw error;
      if (!failed) return [{ path: [], message: `could not be checked against its schema: ${error.message}` }];
    }
    if (issues.length === 0) return [{ path: [], message: 'does not match its schema' }];
    return issues.map(({ path, message, got }) => ({ path, message: withGot(message, got) }));
  };
