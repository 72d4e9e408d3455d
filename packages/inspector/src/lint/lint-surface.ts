import { readSchema } from 'tenon/schema';
import { isObject } from '@tenon/values/is-object';
import type { Surface } from '../compare/surface.ts';
import type { Finding, Severity } from '../rules/finding.ts';
import { clauseOf } from '../rules/pages.ts';
import { isRevision, MODERN, OLDEST } from '../rules/revisions.ts';
import { listOf, shown } from '../values/words.ts';
import type { Clause, EntryKind, LintContext, LintEntry, LintRule, LintSchema, LintText, Report } from './rule.ts';
import { createMemo } from './memo.ts';
import { LINT_GROUPS } from './table.ts';
import { walkSchema, SCHEMA_KEYWORDS, step, type SchemaNode } from '../values/schema/walk-schema.ts';

/** The most findings of one rule about one entry, and of all. */
const MAX_OF_ONE_RULE = 20;
const MAX_FINDINGS = 10_000;

const RULES = {
  surface: LINT_GROUPS.flatMap(([, { surface = [] }]) => surface),
  entry: LINT_GROUPS.flatMap(([, { entry = [] }]) => entry),
  text: LINT_GROUPS.flatMap(([, { text = [] }]) => text),
  schema: LINT_GROUPS.flatMap(([, { schema = [] }]) => schema),
  node: LINT_GROUPS.flatMap(([, { node = [] }]) => node),
};

/**
 * Checks the definitions of a server: names, descriptions, schemas, and their effects on models and people. Never throws,
 * whatever the server sent; takes time linear in its size. At most 10,000 findings.
 *
 * @example lintSurface(surface).filter(({ severity }) => severity === 'error')
 */
export function lintSurface(surface: Surface): Finding[] {
  const context = contextOf(surface);
  const log = createFindingLog(context.revision);
  log.open(context.entries[0]!, '');
  for (const rule of RULES.surface) rule.see(context, context, log.under(rule));
  for (const entry of context.entries) {
    log.open(entry, '');
    for (const rule of RULES.entry) if (rule.of.includes(entry.kind)) rule.see(entry, context, log.under(rule));
    if (isObject(entry.given)) for (const text of textsOf(entry, context)) lookAtText(text, context, log);
  }
  // One at a time, because two thousand compiled schemas at once would take much memory.
  for (const entry of context.entriesOf('tool'))
    for (const role of ROLES) {
      const schema = schemaOf(entry, role);
      if (schema !== undefined) lookAtSchema(schema, context, log);
    }
  return log.all(context.memo.skipped());
}

function lookAtText(text: LintText, context: LintContext, log: FindingLog): void {
  log.open(text.entry, text.at);
  for (const rule of RULES.text) rule.see(text, context, log.under(rule));
}

function lookAtSchema(schema: LintSchema, context: LintContext, log: FindingLog): void {
  const { entry, at, nodes } = schema;
  log.open(entry, at);
  for (const rule of RULES.schema) rule.see(schema, context, log.under(rule));
  for (const node of nodes) {
    const thing = { node, of: schema };
    for (const rule of RULES.node) rule.see(thing, context, log.under(rule));
  }
  for (const text of textsIn(nodes)) lookAtText({ entry, at: at + text.at, text: text.text }, context, log);
}

const KINDS: readonly (readonly [kind: EntryKind, list: 'tools' | 'resources' | 'templates' | 'prompts'])[] = [
  ['tool', 'tools'],
  ['resource', 'resources'],
  ['template', 'templates'],
  ['prompt', 'prompts'],
];

function contextOf(given: Surface): LintContext {
  const surface = isObject(given) ? (given as Surface) : EMPTY;
  const { server } = surface;
  const byKind = new Map<EntryKind, readonly LintEntry[]>(
    KINDS.map(([kind, list]) => [kind, listOf(surface[list]).map((entry, index) => entryOf(kind, entry, index))]),
  );
  byKind.set('server', [
    { kind: 'server', subject: 'server', given: server, value: isObject(server) ? server : {}, name: undefined },
  ]);
  const entriesOf = (kind: EntryKind): readonly LintEntry[] => byKind.get(kind) ?? [];
  const entries = (['server', ...KINDS.map(([kind]) => kind)] as const).flatMap(entriesOf);
  const { revision } = surface;
  // An unknown revision is treated as the newest.
  return { surface, revision: isRevision(revision) ? revision : MODERN, entries, entriesOf, memo: createMemo() };
}

const EMPTY: Surface = {
  surface: 1,
  server: {},
  revision: '',
  capabilities: {},
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
};

function entryOf(kind: EntryKind, given: unknown, index: number): LintEntry {
  const value = isObject(given) ? given : {};
  const name = typeof value['name'] === 'string' ? value['name'] : undefined;
  const key = kind === 'resource' ? 'uri' : kind === 'template' ? 'uriTemplate' : 'name';
  const called = value[key];
  const label = typeof called === 'string' && called !== '' ? shown(called, 80) : `#${index + 1}`;
  return { kind, subject: `${kind} ${label}`, given, value, name };
}

const ROLES = ['input', 'output'] as const;

function schemaOf(entry: LintEntry, role: (typeof ROLES)[number]): LintSchema | undefined {
  const schema = entry.value[`${role}Schema`];
  if (!isObject(schema)) return undefined;
  return { entry, role, at: `/${role}Schema`, schema, read: readSchema(schema), ...walkSchema(schema) };
}

/** The texts of an entry outside its schemas. */
function textsOf(entry: LintEntry, { surface }: LintContext): LintText[] {
  const texts: LintText[] = [];
  const add = (text: unknown, at: string): void => {
    if (typeof text === 'string' && text !== '') texts.push({ entry, at, text });
  };
  const named = (value: Readonly<Record<string, unknown>>, at: string): void => {
    for (const member of ['name', 'title', 'description']) add(value[member], `${at}/${member}`);
  };
  named(entry.value, '');
  if (entry.kind === 'server') add(surface.instructions, '/instructions');
  if (isObject(entry.value['annotations'])) add(entry.value['annotations']['title'], '/annotations/title');
  listOf(entry.kind === 'prompt' ? entry.value['arguments'] : undefined).forEach((argument, index) => {
    if (isObject(argument)) named(argument, `/arguments/${index}`);
  });
  return texts;
}

/** Collects findings, up to a limit. */
interface FindingLog {
  /** Sets the entry, and the path in it, that findings are about. */
  open(entry: LintEntry, at: string): void;
  /** Sets the rule of the findings. The report is valid until the next call. */
  under(rule: Head): Report;
  /** The findings, and how much was skipped. */
  all(skipped: number): Finding[];
}
type Head = Pick<LintRule<never>, 'id' | 'severity' | 'clause'>;

function createFindingLog(revision: string): FindingLog {
  const findings: Finding[] = [];
  const counts = new Map<string, number>();
  const heads = new Map<string, { severity: Severity; clause?: string }>();
  let left = 0;
  // One shared report, because `under` is called a million times and its result seldom used.
  let [entry, place, rule]: [LintEntry, string, Head] = [NO_ENTRY, '', { id: '', severity: 'info' }];
  const report: Report = (message, { fix, at = '', about = entry } = {}) => {
    const key = `${rule.id} ${about.subject}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > MAX_OF_ONE_RULE || findings.length >= MAX_FINDINGS) {
      left += 1;
      return;
    }
    let head = heads.get(rule.id);
    if (head === undefined) heads.set(rule.id, (head = applied(rule, revision)));
    const where = shown(place + at, 300);
    const subject = where === '' ? about.subject : `${about.subject} ${where}`;
    findings.push({ rule: rule.id, ...head, blame: 'server', message, fix, subject, evidence: [] });
  };
  return {
    open: (next, at) => {
      [entry, place] = [next, at];
    },
    under: (next) => {
      rule = next;
      return report;
    },
    all: (skipped) => [...findings, ...(left > 0 ? [leftOut(left)] : []), ...(skipped > 0 ? [notSeen(skipped)] : [])],
  };
}

const NO_ENTRY: LintEntry = { kind: 'server', subject: 'server', given: undefined, value: {}, name: undefined };

/** The severity and clause of a rule in a revision: without a MUST there, it is not an error. */
function applied({ severity, clause }: Head, revision: string): { severity: Severity; clause?: string } {
  if (clause === undefined) return { severity };
  const holds = (clause.since ?? '') <= revision && revision <= (clause.until ?? '9');
  return { severity: severity === 'error' && !holds ? 'warning' : severity, clause: addressOf(clause, revision) };
}

/** The URL of a clause in the revision, or in the nearest revision that has it. */
export function addressOf({ page, since = OLDEST, until = MODERN }: Clause, revision: string): string {
  const known = isRevision(revision) ? revision : until;
  return clauseOf(page, known < since ? since : known > until ? until : known);
}

function leftOut(count: number): Finding {
  return {
    rule: 'left-out',
    severity: 'info',
    blame: 'unknown',
    message: `${count.toLocaleString('en')} more findings are not listed: at most ${MAX_OF_ONE_RULE} of one rule about one entry, ${MAX_FINDINGS.toLocaleString('en')} together`,
    fix: 'Fix some of the listed findings, and check again.',
    evidence: [],
  };
}

function notSeen(count: number): Finding {
  return {
    rule: 'left-out',
    severity: 'info',
    blame: 'unknown',
    message: `${count.toLocaleString('en')} patterns and unknown keywords were not checked: there are more than 500 different ones`,
    evidence: [],
  };
}

const MAX_TEXTS = 2_000;

/** The texts of a schema that a model reads: the strings in its keywords, the names of properties, and given values. */
function textsIn(nodes: readonly SchemaNode[]): { readonly at: string; readonly text: string }[] {
  const texts: { at: string; text: string }[] = [];
  const collect = (value: unknown, at: string): void => {
    // Level by level, because data may be nested to any depth.
    for (let level: [unknown, string][] = [[value, at]]; level.length > 0 && texts.length < MAX_TEXTS;) {
      const next: [unknown, string][] = [];
      for (const [each, place] of level) {
        if (typeof each === 'string') texts.push({ at: place, text: each });
        else if (Array.isArray(each)) each.forEach((item, index) => next.push([item, place + step(index)]));
        else if (isObject(each)) for (const name of Object.keys(each)) next.push([each[name], place + step(name)]);
      }
      level = next;
    }
  };
  for (const { schema, at, name } of nodes) {
    if (name !== undefined) texts.push({ at, text: name });
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword];
      if (typeof value === 'string') texts.push({ at: at + step(keyword), text: value });
      else if (typeof value === 'object' && value !== null && !SCHEMA_KEYWORDS.has(keyword))
        collect(value, at + step(keyword));
    }
    if (texts.length >= MAX_TEXTS) break;
  }
  return texts;
}
