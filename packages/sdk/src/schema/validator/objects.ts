import { isObject } from '../../protocol/jsonrpc.ts';
import { spend } from '../budget.ts';
import { quoted } from '../quoted.ts';
import type { Matcher } from '../pattern/matcher.ts';
import { SchemaError } from '../schema-error.ts';
import type { Build, Family, Part } from './build.ts';
import { has, member } from './equal.ts';
import { reportFault } from './faults.ts';
import type { Check, Run, SchemaNode, Seen } from './model.ts';
import { childMap, keyword, readCount, readNames } from './read.ts';
import { descend, keysOf, LARGE, namesOf, report } from './run.ts';
import { patternMatcher } from './strings.ts';
import { locate } from './tree.ts';
import { listed } from './values.ts';

/** The keywords for objects. */
export const objectFamily: Family = (node, build) => [
  requiredPart(node, build),
  ...sizeParts(node),
  ...dependentParts(node),
  namesPart(node),
  membersPart(node, build),
];

function requiredPart(node: SchemaNode, { untrusted, document }: Build): Part | undefined {
  const required = readNames(node, 'required');
  if (required === undefined || required.length === 0) return undefined;
  if (!untrusted && new Set(required).size < required.length)
    reportFault(document, new SchemaError('required names a property twice', locate(node, 'required')));
  return {
    check: (value, run) => {
      if (!isObject(value)) return true;
      spend(run, required.length);
      let passed = true;
      for (const name of required) {
        if (has(value, name)) continue;
        passed = report(run, 'is required', undefined, name);
        if (!run.collect) break;
      }
      return passed;
    },
  };
}

function sizeParts(node: SchemaNode): Part[] {
  const parts: Part[] = [];
  const limit = (name: string, word: string, holds: (size: number, bound: number) => boolean): void => {
    const bound = readCount(node, name);
    if (bound === undefined) return;
    const message = `must have ${word} ${bound} ${bound === 1 ? 'property' : 'properties'}`;
    const check: Check = (value, run) => {
      if (!isObject(value)) return true;
      const names = namesOf(value, run);
      spend(run, 1);
      return holds(names.length, bound) || report(run, message);
    };
    parts.push({ check });
  };
  limit('minProperties', 'at least', (size, bound) => size >= bound);
  limit('maxProperties', 'at most', (size, bound) => size <= bound);
  return parts;
}

/** `dependentRequired`, and the lists of names in `dependencies`. */
function dependentParts(node: SchemaNode): (Part | undefined)[] {
  return ['dependentRequired', 'dependencies'].map((name) => {
    const value = keyword(node, name);
    if (value === undefined || (name === 'dependentRequired' && node.dialect.refAlone)) return undefined;
    if (!isObject(value)) throw new SchemaError(`${name} must be an object`, locate(node, name));
    const rules = Object.keys(value)
      .filter((key) => name === 'dependentRequired' || Array.isArray(member(value, key)))
      .map((key) => ({ key, needs: readNames(node, name, member(value, key)) ?? [] }));
    const check: Check = (object, run) => {
      if (!isObject(object)) return true;
      let passed = true;
      for (const { key, needs } of rules) {
        spend(run, 1);
        if (!has(object, key)) continue;
        spend(run, needs.length);
        for (const need of needs)
          if (!has(object, need)) passed = report(run, `is required when ${quoted(key)} is given`, undefined, need);
        if (!passed && !run.collect) return false;
      }
      return passed;
    };
    return { check };
  });
}

function namesPart(node: SchemaNode): Part | undefined {
  const names = node.children.get('propertyNames');
  if (names === undefined) return undefined;
  const check: Check = (value, run) => {
    if (!isObject(value)) return true;
    let passed = true;
    for (const name of namesOf(value, run)) {
      spend(run, 2);
      if (descend(names, name, name, run)) continue;
      passed = false;
      if (!run.collect) return false;
    }
    return passed;
  };
  return { check, nested: true, mark: () => {} };
}

interface Members {
  readonly named: ReadonlyMap<string, SchemaNode>;
  readonly patterns: readonly { readonly matches: Matcher; readonly node: SchemaNode }[];
  readonly rest: SchemaNode | undefined;
  /** A pattern was left out: an otherwise unnamed member might have matched it. */
  readonly incomplete: boolean;
}

function membersPart(node: SchemaNode, build: Build): Part | undefined {
  const members = readMembers(node, build);
  const { named, patterns, rest } = members;
  if (named.size === 0 && patterns.length === 0 && rest === undefined && !members.incomplete) return undefined;
  return {
    nested: true,
    check: membersCheck(members, rest?.schema === false ? notAllowed([...named.keys()]) : undefined),
    mark: (value, seen, run) => {
      if (!isObject(value) || seen.all) return;
      if (rest === undefined && !members.incomplete) markMembers(members, value, seen, run);
      else seen.all = true;
    },
  };
}

function markMembers({ named, patterns }: Members, value: object, seen: Seen, run: Run): void {
  const keys = keysOf(value, run);
  if (patterns.length === 0 && named.size < keys.length) {
    for (const name of named.keys()) {
      spend(run, 2);
      if (has(value, name)) see(seen, name, run);
    }
  } else {
    for (const name of keys) {
      spend(run, 2);
      if (named.has(name) || patterns.some(({ matches }) => matches(name, run))) see(seen, name, run);
    }
  }
  // All members are evaluated, so sets of names need not be merged.
  if (seen.keys.size >= keys.length) seen.all = true;
}

function see(seen: Seen, name: string, run: Run): void {
  spend(run, 4);
  seen.keys.add(name);
}

function readMembers(node: SchemaNode, build: Build): Members {
  let incomplete = false;
  const patterns = childMap(node, 'patternProperties').flatMap(([source, child]) => {
    const matches = patternMatcher(source, node, `patternProperties/${source}`, build);
    if (matches === undefined) incomplete = true;
    return matches === undefined ? [] : [{ matches, node: child }];
  });
  return {
    named: new Map(childMap(node, 'properties')),
    patterns,
    rest: node.children.get('additionalProperties'),
    incomplete,
  };
}

function notAllowed(known: readonly string[]): string {
  return `is not allowed${known.length === 0 ? '' : `; the known properties are ${listed(known)}`}`;
}

/** Checks only the members that a schema names: for objects with many others. */
function namedCheck(named: Members['named'], value: object, run: Run): boolean {
  for (const [name, node] of named) {
    spend(run, 2);
    if (has(value, name) && !descend(node, member(value, name), name, run)) return false;
  }
  return true;
}

function membersCheck({ named, patterns, rest, incomplete }: Members, refusal: string | undefined): Check {
  /** Do any keywords apply to members that are not named? */
  const restricted = rest !== undefined || patterns.length > 0 || incomplete;
  return (value, run) => {
    if (!isObject(value)) return true;
    let passed = true;
    const keys = keysOf(value, run);
    const large = keys.length > LARGE;
    if (large && !run.collect && !restricted && named.size < keys.length) return namedCheck(named, value, run);
    for (const name of keys) {
      spend(run, large ? 4 : 1);
      const item = member(value, name);
      if (item === undefined) continue;
      const own = named.get(name);
      let matched = own !== undefined;
      let good = own === undefined || descend(own, item, name, run);
      for (const pattern of patterns) {
        if (!pattern.matches(name, run)) continue;
        matched = true;
        good = descend(pattern.node, item, name, run) && good;
      }
      if (!matched && incomplete) run.unsure = true;
      else if (!matched && rest !== undefined) {
        good = refusal === undefined ? descend(rest, item, name, run) : report(run, refusal, undefined, name);
      }
      if (good) continue;
      passed = false;
      if (!run.collect) return false;
    }
    return passed;
  };
}
