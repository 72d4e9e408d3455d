import type { ReadSchema } from 'tenon/schema';
import type { Surface } from '../compare/surface.ts';
import type { Memo } from './memo.ts';
import type { Severity } from '../rules/finding.ts';
import type { Page } from '../rules/pages.ts';
import type { Revision } from '../rules/revisions.ts';
import type { SchemaNode } from '../values/schema/walk-schema.ts';
import type { Json } from '../values/words.ts';

/** Where the specification says it. In a revision before `since`, or after `until`, what would be an error is a warning. */
export interface Clause {
  readonly page: Page;
  readonly since?: Revision;
  readonly until?: Revision;
}

/** Tells what is wrong with the thing that a rule looks at. */
export interface Report {
  (message: string, more?: ReportMore): void;
}

export interface ReportMore {
  /** What to do about it. */
  readonly fix?: string;
  /** The entry it is about, where the rule looks at all of them. */
  readonly about?: LintEntry;
  /** The place inside of the thing, as a JSON Pointer: `/name`. */
  readonly at?: string;
}

/** A rule of the lint: what it looks for in things of one kind, and why that matters. */
export interface LintRule<Thing> {
  /** Stable, and different from those of all other rules. */
  readonly id: string;
  /** What is looked for. */
  readonly title: string;
  /** What the consequence is. */
  readonly why: string;
  /** An error breaks a MUST of the specification, or the shape its schema demands. */
  readonly severity: Severity;
  readonly clause?: Clause;
  see(thing: Thing, context: LintContext, report: Report): void;
}

export type EntryKind = 'server' | 'tool' | 'resource' | 'template' | 'prompt';

/** An entry of a list, or the server itself. */
export interface LintEntry {
  readonly kind: EntryKind;
  /** `tool add`, with nothing hidden in it. */
  readonly subject: string;
  /** As the server sent it. */
  readonly given: unknown;
  /** The same where it is an object; else an empty one. */
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
  /** The place in the tool: `/inputSchema`. */
  readonly at: string;
  readonly schema: Json;
  /** What is wrong with it, and with values. */
  readonly read: ReadSchema;
  /** All schemas in it that are objects, itself first. */
  readonly nodes: readonly SchemaNode[];
  /** There are more of them, or deeper ones, than are looked at. */
  readonly cut: boolean;
}

/** Everything there is, for rules that compare. */
export interface LintContext {
  readonly surface: Surface;
  readonly revision: string;
  /** Of all kinds, the server first. */
  readonly entries: readonly LintEntry[];
  entriesOf(kind: EntryKind): readonly LintEntry[];
  readonly memo: Memo;
}

/** The rules about a subject, by what they look at. */
export interface RuleGroup {
  readonly surface?: readonly LintRule<LintContext>[];
  readonly entry?: readonly EntryRule[];
  readonly text?: readonly LintRule<LintText>[];
  readonly schema?: readonly LintRule<LintSchema>[];
  readonly node?: readonly LintRule<{ readonly node: SchemaNode; readonly of: LintSchema }>[];
}
