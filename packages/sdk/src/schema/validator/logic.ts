import { isObject } from '../../protocol/jsonrpc.ts';
import { spend } from '../budget.ts';
import { formatIssues } from '../issue.ts';
import { SchemaError } from '../schema-error.ts';
import type { Family, Part } from './build.ts';
import { has } from './equal.ts';
import type { Check, Finding, Resource, Run, SchemaNode } from './model.ts';
import { childList, childMap, readArray, readString } from './read.ts';
import { attempt, attemptQuietly, MAYBE, NO, report, YES } from './run.ts';
import { locate } from './tree.ts';

/** References. */
export const referenceFamily: Family = (node) => [refPart(node), dynamicRefPart(node)];

/** The keywords that apply schemas to the same value. */
export const logicFamily: Family = (node) => [
  allOfPart(node),
  anyOfPart(node),
  oneOfPart(node),
  notPart(node),
  ifPart(node),
  ...dependentSchemasParts(node),
];

function refPart({ ref }: SchemaNode): Part | undefined {
  return ref && { nested: true, check: (value, run) => ref.check(value, run) };
}

function dynamicRefPart(node: SchemaNode): Part | undefined {
  const initial = node.dynamicRef;
  if (initial === undefined) return undefined;
  const find = node.dialect.dynamicRef === '$recursiveRef' ? recursiveTarget(initial) : dynamicTarget(node, initial);
  if (find === undefined) return { nested: true, check: (value, run) => initial.check(value, run) };
  const check: Check = (value, run) => {
    // The outermost resource of the dynamic scope with such an anchor decides
    // (https://json-schema.org/draft/2020-12/json-schema-core#section-8.2.3.2).
    let target = initial;
    for (let { scope } = run; scope !== undefined; scope = scope.outer) {
      spend(run, 1);
      target = find(scope.resource) ?? target;
    }
    return target.check(value, run);
  };
  return { nested: true, check };
}

type Find = (resource: Resource) => SchemaNode | undefined;

function dynamicTarget(node: SchemaNode, initial: SchemaNode): Find | undefined {
  const name = readString(node, '$dynamicRef')!.split('#')[1] ?? '';
  return initial.resource.dynamicAnchors.get(name) === initial
    ? (resource) => resource.dynamicAnchors.get(name)
    : undefined;
}

function recursiveTarget(initial: SchemaNode): Find | undefined {
  return initial.resource.recursive && initial.resource.root === initial
    ? (resource) => (resource.recursive ? resource.root : undefined)
    : undefined;
}

function listOf(node: SchemaNode, name: string): SchemaNode[] | undefined {
  if (readArray(node, name)?.length === 0) throw new SchemaError(`${name} must not be empty`, locate(node, name));
  return childList(node, name);
}

function allOfPart(node: SchemaNode): Part | undefined {
  const all = listOf(node, 'allOf');
  if (all === undefined) return undefined;
  const check: Check = (value, run) => {
    spend(run, all.length);
    let passed = true;
    for (const one of all) {
      if (one.check(value, run)) continue;
      passed = false;
      if (!run.collect) return false;
    }
    return passed;
  };
  return { nested: true, check };
}

function anyOfPart(node: SchemaNode): Part | undefined {
  const any = listOf(node, 'anyOf');
  if (any === undefined) return undefined;
  const check: Check = (value, run) => {
    let passed = false;
    const failures = run.collect ? [] : undefined;
    for (const one of any) {
      spend(run, 1);
      if (failures === undefined ? attempt(one, value, run) === NO : !attemptAndKeep(one, value, run, failures))
        continue;
      passed = true;
      // The evaluated members of all schemas that pass are needed.
      if (run.seen === undefined) return true;
    }
    return passed || (failures !== undefined && reportNearest(run, failures));
  };
  return { nested: true, check };
}

function oneOfPart(node: SchemaNode): Part | undefined {
  const some = listOf(node, 'oneOf');
  if (some === undefined) return undefined;
  const check: Check = (value, run) => {
    const counts = [0, 0, 0];
    for (const one of some) {
      spend(run, 1);
      counts[attemptQuietly(one, value, run)]! += 1;
      if (counts[YES]! > 1) return report(run, 'must match only one of the allowed forms, but matches more');
    }
    if (counts[YES]! + counts[MAYBE]! > 0) return true;
    if (!run.collect) return false;
    const failures: Finding[][] = [];
    for (const one of some) attemptAndKeep(one, value, run, failures);
    return reportNearest(run, failures);
  };
  return { nested: true, check };
}

function notPart(node: SchemaNode): Part | undefined {
  const not = node.children.get('not');
  if (not === undefined) return undefined;
  const check: Check = (value, run) => {
    const { seen } = run;
    run.seen = undefined; // what a failing schema evaluates never counts
    const result = attemptQuietly(not, value, run);
    run.seen = seen;
    return result !== YES || report(run, 'must not match the excluded form');
  };
  return { nested: true, check };
}

function ifPart(node: SchemaNode): Part | undefined {
  const condition = node.children.get('if');
  if (condition === undefined) return undefined;
  const [then, otherwise] = [node.children.get('then'), node.children.get('else')];
  const check: Check = (value, run) => {
    const result = attemptQuietly(condition, value, run);
    if (result === MAYBE) {
      // The result is unknown, and either branch might have evaluated any member.
      if (run.seen !== undefined) run.seen.all = true;
      return true;
    }
    const next = result === YES ? then : otherwise;
    return next === undefined || next.check(value, run);
  };
  return { nested: true, check };
}

/** `dependentSchemas`, and the schemas in `dependencies`. */
function dependentSchemasParts(node: SchemaNode): Part[] {
  return ['dependentSchemas', 'dependencies'].flatMap((name) => {
    const rules = node.dialect.subschemas.has(name) ? childMap(node, name) : [];
    if (rules.length === 0) return [];
    const check: Check = (value, run) => {
      if (!isObject(value)) return true;
      let passed = true;
      for (const [key, schema] of rules) {
        spend(run, 1);
        if (!has(value, key) || schema.check(value, run)) continue;
        passed = false;
        if (!run.collect) return false;
      }
      return passed;
    };
    return [{ nested: true as const, check }];
  });
}

const MAX_KEPT = 10;

/** Applies one alternative of a union and keeps its problems; true if there are none. */
function attemptAndKeep(node: SchemaNode, value: unknown, run: Run, failures: Finding[][]): boolean {
  const { issues } = run;
  run.issues = [];
  run.collect = failures.length < MAX_KEPT;
  const passed = attempt(node, value, run) !== NO;
  if (!passed) failures.push(run.issues);
  run.issues = issues;
  run.collect = true;
  return passed;
}

/** Reports what all alternatives of a union require or, if one is nearest, its problems. */
function reportNearest(run: Run, failures: readonly Finding[][]): false {
  const here = run.path.length;
  const alternatives = new Map(failures.flatMap((found) => found.map(({ message, got }) => [message, got])));
  if (failures.every((found) => found.length === 1 && found[0]!.path.length === here) && alternatives.size <= 5) {
    const gots = [...alternatives.values()];
    return report(
      run,
      [...alternatives.keys()].join(' or '),
      gots.every((got) => got !== undefined) ? gots[0] : undefined,
    );
  }
  const nearest = failures
    .slice(0, MAX_KEPT)
    .reduce((best, found) => (distance(found, here) < distance(best, here) ? found : best));
  const text = formatIssues(
    nearest.slice(0, 3).map(({ path, message, got }) => ({ path: path.slice(here), message: withGot(message, got) })),
  );
  return report(run, `must match one of ${failures.length} allowed forms; the nearest one says: ${text}`);
}

// A value of the wrong type is further from an alternative than one with several wrong members.
function distance(found: readonly Finding[], here: number): number {
  return found.length + (found.some(({ path, got }) => path.length === here && got !== undefined) ? 100 : 0);
}

/** The whole message of a finding. */
export function withGot(message: string, got: string | undefined): string {
  return got === undefined ? message : `${message}, got ${got}`;
}
