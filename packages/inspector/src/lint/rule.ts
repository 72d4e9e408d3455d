import type { ReadSchema } from 'tenon/schema';
import type { Surface } from '../compare/surface.ts';
import type { Memo } from './memo.ts';
import type { Severity } from '../rules/finding.ts';
import type { Page } from '../rules/pages.ts';
import type { Revision } from '../rules/revisions.ts';
import type { SchemaNode } from '../values/schema/walk-schema.ts';
import type { Json } from '../values/words.ts';

/** The place in the specification. In a revision before `since`, or after `until`, an error becomes a warning. */
export interface Clause {
  readonly page: Page;
  readonly since?: Revision;
  readonly until?: Revision;
}

/** Reports a problem with the object that a rule checks. */
export interface Report {
  (message: string, more?: ReportMore): void;
}

export interface ReportMore {
  /** What to do about it. */
  readonly fix?: string;
  /** The entry that it is about, for rules that check all entries. */
  readonly about?: LintEntry;
  /** The path inside the object, as a JSON Pointer: `/name`. */
  readonly at?: string;
}

/** A rule of the lint: what it checks in objects of one kind, and why that matters. */
export interface LintRule<Thing> {
  /** Stable and unique. */
  readonly id: string;
  /** The problem that it looks for. */
  readonly title: string;
  /** The consequence. */
  readonly why: string;
  /** An error violates a MUST of the specification, or the structure of its schema. */
  readonly severity: Severity;
  readonly clause?: Clause;
  see(thing: Thing, context: LintContext, report: Report): void;
}

export type EntryKind = 'server' | 'tool' | 'resource' | 'template' | 'prompt';

/** An entry of a list, or the server itself. */
export interface LintEntry {
  readonly kind: EntryKind;
  /** `tool add`, without invisible characters. */
  readonly subject: string;
  /** Exactly as the server sent it. */
  readonly given: unknown;
  /** The same if it is an object, otherwise an empty object. */
  readonly value: Json;
  /** Undefined if it is not a string. */
  readonly name: string | undefined;
}

/** A rule about entries of some kinds. */
export interface EntryRule extends LintRule<LintEntry> {
  readonly of: readonly EntryKind[];
}

/** A text that people or models read. */
export interface LintText {
  readonly entry: LintEntry;
  readonly at: string;
  readonly text: string;
}

/** A schema of a tool. */
export interface LintSchema {
  readonly entry: LintEntry;
  readonly role: 'input' | 'output';
  /** Its path in the tool: `/inputSchema`. */
  readonly at: string;
  readonly schema: Json;
  /** Validates the schema, and values. */
  readonly read: ReadSchema;
  /** All subschemas that are objects, starting with itself. */
  readonly nodes: readonly SchemaNode[];
  /** There are more of them, or deeper ones, than the limits allow. */
  readonly cut: boolean;
}

/** All entries, for rules that compare them. */
export interface LintContext {
  readonly surface: Surface;
  readonly revision: string;
  /** Entries of all kinds, the server first. */
  readonly entries: readonly LintEntry[];
  entriesOf(kind: EntryKind): readonly LintEntry[];
  readonly memo: Memo;
}

/** The rules about a subject, by the objects that they check. */
export interface RuleGroup {
  readonly surface?: readonly LintRule<LintContext>[];
  readonly entry?: readonly EntryRule[];
  readonly text?: readonly LintRule<LintText>[];
  readonly schema?: readonly LintRule<LintSchema>[];
  readonly node?: readonly LintRule<{ readonly node: SchemaNode; readonly of: LintSchema }>[];
}
