import type { JsonSchema } from '../../protocol/entities.ts';
import type { Budget } from '../budget.ts';
import type { ValidationIssue } from '../issue.ts';
import type { Dialect } from './dialect.ts';

/** One schema of a document, with its place in it. */
export interface SchemaNode {
  readonly schema: JsonSchema | boolean;
  readonly dialect: Dialect;
  readonly resource: Resource;
  readonly parent: SchemaNode | undefined;
  /** How the parent refers to it: `not`, `properties/name`, `allOf/0`; the name is not escaped. */
  readonly key: string;
  readonly depth: number;
  readonly children: Map<string, SchemaNode>;
  /** Schemas that are applied to the same value: `allOf`, `$ref` and their like. */
  readonly sameValue: SchemaNode[];
  /** What `$ref` and `$dynamicRef` lead to. */
  ref: SchemaNode | undefined;
  dynamicRef: SchemaNode | undefined;
  /** Something in it is wrong and was written down: nothing is held against a value here. */
  faulty: boolean;
  /** Set when the whole tree is known. */
  check: Check;
}

/** A schema with its own URI and everything inside that has none. */
export interface Resource {
  readonly uri: string;
  root: SchemaNode | undefined;
  readonly anchors: Map<string, SchemaNode>;
  readonly dynamicAnchors: Map<string, SchemaNode>;
  /** `$recursiveAnchor: true` at its root. */
  recursive: boolean;
}

/** Does the value pass? Reports why not when the run collects. */
export interface Check {
  (value: unknown, run: Run): boolean;
}

/** One validation of one value. */
export interface Run extends Budget {
  depth: number;
  /** While true, problems are written to `issues` and all of them are looked for; otherwise the first one ends the run. */
  collect: boolean;
  issues: Finding[];
  readonly maxIssues: number;
  readonly path: (string | number)[];
  /** A keyword that could not be run safely was taken as passed: a "yes" is only a "maybe". A "no" is always sure. */
  unsure: boolean;
  /** What has been evaluated of the current value; undefined when no `unevaluated…` keyword wants to know. */
  seen: Seen | undefined;
  /** The names of the members of large objects, once they have been read. */
  names: Map<object, readonly string[]> | undefined;
  /** The resources on the way to here, for `$dynamicRef`. */
  scope: Scope | undefined;
}

/** An issue, with the kind that was found kept apart: `must be a string`, `a number`. */
export interface Finding extends ValidationIssue {
  readonly got: string | undefined;
}

/** The members and items of one value that some keyword has evaluated. */
export interface Seen {
  all: boolean;
  /** Items before this index. */
  items: number;
  readonly keys: Set<string | number>;
}

export interface Scope {
  readonly resource: Resource;
  readonly outer: Scope | undefined;
}
