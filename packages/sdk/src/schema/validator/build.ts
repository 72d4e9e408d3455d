import type { Budget } from '../budget.ts';
import type { Pool } from '../pattern/matcher.ts';
import type { Check, Run, SchemaNode, Seen } from './model.ts';
import { keyword } from './read.ts';
import { isolated, bounded, report } from './run.ts';
import type { SchemaDocument } from './tree.ts';

/** The context of keywords besides their own schema. */
export interface Build {
  readonly document: SchemaDocument;
  readonly budget: Budget;
  readonly pool: Pool;
  readonly formats: boolean;
  /** A pattern that is invalid or can't be run safely is left out with a warning instead of being an error. */
  readonly skipPatterns: boolean;
  readonly untrusted: boolean;
  readonly warnings: string[];
}

/** The check of one or more keywords of a schema. */
export interface Part {
  readonly check: Check;
  /** It applies subschemas, to this value or to its members or items. */
  readonly nested?: true;
  /** It evaluates members or items; this records which. */
  readonly mark?: (value: unknown, seen: Seen, run: Run) => void;
}

/** Keywords that are checked together. */
export interface Family {
  (node: SchemaNode, build: Build): readonly (Part | undefined)[];
}

const always: Check = () => true;
const never: Check = (_, run) => report(run, 'is not allowed');

/** Combines the checks of all keywords of a schema; `last` may wrap the whole. The family of `type` comes first. */
export function assemble(
  node: SchemaNode,
  build: Build,
  families: readonly Family[],
  last: (node: SchemaNode, inner: Check) => Check,
): Check {
  if (typeof node.schema === 'boolean') return node.schema ? always : never;
  const parts = families.flatMap((family) => family(node, build)).filter((part) => part !== undefined);
  const checks = parts.map(({ check, mark }) => (mark === undefined ? check : isolated(check, mark)));
  const check = last(node, sequence(checks, keyword(node, 'type') !== undefined));
  if (!parts.some(({ nested }) => nested)) return check;
  return bounded(build.document.dynamic ? scoped(node, check) : check);
}

/** All checks one after the other; if the first one checks the type and fails, the others do not apply. */
function sequence(checks: readonly Check[], typed: boolean): Check {
  const [first, ...others] = checks;
  if (first === undefined) return always;
  if (others.length === 0) return first;
  return (value, run) => {
    let passed = first(value, run);
    if (!passed && (typed || !run.collect)) return false;
    for (let at = 0; at < others.length; at += 1) {
      if (others[at]!(value, run)) continue;
      if (!run.collect) return false;
      passed = false;
    }
    return passed;
  };
}

/** Records for `$dynamicRef` through which resources the evaluation has come. */
function scoped(node: SchemaNode, check: Check): Check {
  return (value, run) => {
    const { scope } = run;
    if (scope?.resource === node.resource) return check(value, run);
    run.scope = { resource: node.resource, outer: scope };
    const passed = check(value, run);
    run.scope = scope;
    return passed;
  };
}
