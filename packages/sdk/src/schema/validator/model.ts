import type { JsonSchema } from '../../protocol/entities.ts';
import type { Budget } from '../budget.ts';
import type { ValidationIssue } from '../issue.ts';
import type { Dialect } from './dialect.ts';

/** One schema of a document, with its location. */
export interface SchemaNode {
  readonly schema: JsonSchema | boolean;
  readonly dialect: Dialect;
  readonly resource: Resource;
  readonly parent: SchemaNode | undefined;
  /** Its path below the parent: `not`, `properties/name`, `allOf/0`; the name is not escaped. */
  readonly key: string;
  readonly depth: number;
  readonly children: Map<string, SchemaNode>;
  /** Schemas that are applied to the same value: `allOf`, `$ref` and similar keywords. */
  readonly sameValue: SchemaNode[];
  /** The target of `$ref` or `$dynamicRef`. */
  ref: SchemaNode | undefined;
  dynamicRef: SchemaNode | undefined;
  /** It has a fault that was recorded: it produces no problems of values. */
  faulty: boolean;
  /** Set when the whole tree is known. */
  check: Check;
}

/** A schema with its own URI, and all schemas in it that have none. */
export interface Resource {
  readonly uri: string;
  root: SchemaNode | undefined;
  readonly anchors: Map<string, SchemaNode>;
  readonly dynamicAnchors: Map<string, SchemaNode>;
  /** `$recursiveAnchor: true` at its root. */
  recursive: boolean;
}

/** Does the value pass? Reports why not if the run collects problems. */
export interface Check {
  (value: unknown, run: Run): boolean;
}

/** One validation of one value. */
export interface Run extends Budget {
  depth: number;
  /** If true, all problems are searched for and written to `issues`; otherwise the first one ends the run. */
  collect: boolean;
  issues: Finding[];
  readonly maxIssues: number;
  readonly path: (string | number)[];
  /** A keyword that could not be run safely counted as passed: then "valid" is uncertain. "Invalid" is always certain. */
  unsure: boolean;
  /** The evaluated parts of the current value; undefined if no `unevaluated…` keyword needs them. */
  seen: Seen | undefined;
  /** The names of the members of large objects that have been read. */
  names: Map<object, readonly string[]> | undefined;
  /** The resources on the path to here, for `$dynamicRef`. */
  scope: Scope | undefined;
}

/** An issue, with the kind of the actual value kept separately: `must be a string`, `a number`. */
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
