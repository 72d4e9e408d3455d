import type { JsonSchema } from '../../protocol/entities.ts';
import { OverBudget } from '../budget.ts';
import type { ValidationIssue } from '../issue.ts';
import { SchemaError } from '../schema-error.ts';
import { arrayFamily } from './arrays.ts';
import { assemble } from './build.ts';
import type { Build, Family } from './build.ts';
import { tolerateFault } from './faults.ts';
import { logicFamily, referenceFamily, withGot } from './logic.ts';
import type { Check, Run, SchemaNode } from './model.ts';
import { numberFamily } from './numbers.ts';
import { objectFamily } from './objects.ts';
import { refuseEndlessReferences, resolveReferences } from './references.ts';
import { stringFamily } from './strings.ts';
import { addSchema } from './tree.ts';
import type { SchemaDocument } from './tree.ts';
import { withUnevaluated } from './unevaluated.ts';
import { typeFamily, valueFamily } from './values.ts';

/** A schema that is ready to validate values. */
export interface CompiledSchema {
  /** The problems of a JSON value: `[]` if it is valid, at most `limits.issues` otherwise. Never throws. */
  validate(value: unknown): ValidationIssue[];
  /** Which parts of the schema are not checked, and why. */
  readonly warnings: readonly string[];
}

/** Options for compiling a schema. */
export interface CompileOptions {
  /** The schema comes from a peer: small faults are tolerated, and a pattern that can't be run safely is left out with a warning. */
  readonly untrusted?: boolean;
  /** How to handle a pattern that can't be run safely. Default: `skip` if untrusted, else `error`. */
  readonly onUnsafePattern?: 'error' | 'skip';
  /** Check `format` if it is `email`, `uri`, `date` or `date-time`; otherwise formats are annotations. Default: false. */
  readonly formats?: boolean;
  readonly limits?: Partial<SchemaLimits>;
}

/** Limits on the cost of a schema. A step takes about ten nanoseconds. */
export interface SchemaLimits {
  /** The maximum nesting of schemas. */
  readonly depth: number;
  /** The maximum number of schemas, of all levels together. */
  readonly subschemas: number;
  /** The maximum number of steps of compiling. */
  readonly compileSteps: number;
  /** The maximum number of steps of checking one value. */
  readonly validateSteps: number;
  /** The maximum number of problems reported for one value. */
  readonly issues: number;
}

/** The defaults; compiling and checking each stay below about 100 ms on a slow machine. */
export const DEFAULT_SCHEMA_LIMITS: SchemaLimits = {
  depth: 64,
  subschemas: 10_000,
  compileSteps: 500_000,
  validateSteps: 2_000_000,
  issues: 20,
};

const POOL = 30_000;

function limitsOf(some: Partial<SchemaLimits> = {}): SchemaLimits {
  for (const [name, value] of Object.entries(some)) {
    if (!(Number.isFinite(value) && value > 0))
      throw new TypeError(`The schema limit '${name}' must be a positive finite number`);
  }
  return { ...DEFAULT_SCHEMA_LIMITS, ...some };
}

/**
 * Compiles a JSON Schema: dialect 2020-12, or 2019-09 and draft-07 if `$schema` says so. Nothing is fetched and no code is generated;
 * compiling and checking end within the limits for any schema.
 *
 * Throws a `SchemaError` with the fault of the schema and its location, and a `TypeError` for an invalid limit.
 *
 * @example compileSchema({ type: 'number' }).validate('1') // [{ path: [], message: 'must be a number, got a string' }]
 */
export function compileSchema(schema: JsonSchema | boolean, options: CompileOptions = {}): CompiledSchema {
  const limits = limitsOf(options.limits);
  const { root, warnings } = buildTree(schema, options, limits, undefined);
  return { validate: validator(root.check, limits), warnings };
}

/** A schema that may have faults. */
export interface ExaminedSchema {
  /** Undefined: it cannot be used at all, because of the last of the faults. */
  readonly root: SchemaNode | undefined;
  readonly faults: readonly SchemaError[];
  /** The certain problems of a value for a part of the schema. Never throws. */
  validate(value: unknown, part: SchemaNode): ValidationIssue[];
}

/** The same, but collects all faults of a schema. Faulty parts produce no problems of values. Never throws a `SchemaError`. */
export function examineSchema(schema: unknown, options: CompileOptions = {}): ExaminedSchema {
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
}

function buildTree(
  schema: unknown,
  options: CompileOptions,
  limits: SchemaLimits,
  faults: Map<string, SchemaError> | undefined,
): { root: SchemaNode; warnings: readonly string[] } {
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
    const root = addSchema(document, schema);
    resolveReferences(document);
    refuseEndlessReferences(document);
    for (const node of document.nodes) {
      const check = tolerateFault(document, () => buildCheck(node, build));
      node.check = check === undefined || node.faulty ? undecided : check;
    }
    return { root, warnings };
  } catch (error) {
    if (error instanceof OverBudget)
      throw new SchemaError(`The schema can't be compiled: ${error.message}`, '', 'size');
    throw error;
  }
}

/** The check of a faulty schema, whose meaning is unknown. */
const undecided: Check = (_, run) => {
  run.unsure = true;
  if (run.seen !== undefined) run.seen.all = true;
  return true;
};

/** In the order of checking; `type` first. */
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

function buildCheck(node: SchemaNode, build: Build): Check {
  if (node.dialect.refAlone && node.ref !== undefined)
    return assemble(node, build, [referenceFamily], (_, check) => check);
  const wanted = new Set(Object.keys(node.schema).flatMap((name) => FAMILIES_OF.get(name) ?? []));
  const families = FAMILIES.filter((_, index) => wanted.has(index)).map(([family]) => family);
  return assemble(node, build, families, withUnevaluated);
}

function validator(check: Check, limits: SchemaLimits) {
  return (value: unknown): ValidationIssue[] => {
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
      // Details are computed only now, for the few values that are invalid.
      Object.assign(run, { depth: 0, collect: true, seen: undefined, scope: undefined });
      check(value, run);
    } catch (error) {
      // The engine throws a RangeError if little stack was left when the check began.
      if (!(error instanceof OverBudget || error instanceof RangeError)) throw error;
      if (!failed) return [{ path: [], message: `could not be checked against its schema: ${error.message}` }];
    }
    if (issues.length === 0) return [{ path: [], message: 'does not match its schema' }];
    return issues.map(({ path, message, got }) => ({ path, message: withGot(message, got) }));
  };
}
