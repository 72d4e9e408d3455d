import { isObject } from '@tenon/values/is-object';
import { quoted, shown, type Json } from '../values/words.ts';
import { canonical, isSame } from '../values/canonical-value.ts';
import type { ChangeKind, ChangeLog } from './change.ts';
import { compareSchemas } from './compare-schemas.ts';

/** An entry of a list, and the key that identifies it. */
interface Keyed {
  readonly key: string;
  readonly entry: Json;
}

/** How the entries of a list are identified and compared. */
interface Kind {
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt';
  readonly key: 'name' | 'uri' | 'uriTemplate';
  compare(before: Json, after: Json, path: string, log: ChangeLog): void;
}

/** Members that the entries of all lists have, with the kind of change. */
const COMMON: ReadonlyMap<string, ChangeKind> = new Map<string, ChangeKind>([
  ['title', 'title-changed'],
  ['description', 'description-changed'],
  ['annotations', 'annotations-changed'],
  ['icons', 'icons-changed'],
  ['_meta', 'meta-changed'],
  ['mimeType', 'mime-type-changed'],
]);
/** Members that are compared separately, or do not matter: the size of a resource is part of its state. */
const APART: ReadonlySet<string> = new Set([
  'name',
  'uri',
  'uriTemplate',
  'size',
  'inputSchema',
  'outputSchema',
  'execution',
  'arguments',
]);

/** Drops members that differ on every read, which are not a change of the surface. */
function lasting(member: string, value: unknown): unknown {
  if (member !== 'annotations' || !isObject(value)) return value;
  const { lastModified: _, ...rest } = value;
  return rest;
}

function compareMembers(before: Json, after: Json, path: string, log: ChangeLog): void {
  for (const member of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (APART.has(member)) continue;
    const [was, is] = [before[member], after[member]];
    if (isSame(lasting(member, was), lasting(member, is))) continue;
    const how = was === undefined ? 'is new' : is === undefined ? 'is gone' : 'is another';
    log.add(COMMON.get(member) ?? 'member-changed', `${path} /${shown(member, 60)}`, `${quoted(member, 60)} ${how}`, {
      before: was,
      after: is,
    });
  }
}

function compareTool(before: Json, after: Json, path: string, log: ChangeLog): void {
  const [was, is] = [before['inputSchema'], after['inputSchema']];
  if (isObject(was) && isObject(is)) compareSchemas(was, is, `${path} /inputSchema`, 'input', log);
  else if (!isSame(was, is)) log.add('undecided', `${path} /inputSchema`, 'One of the two schemas is not an object');
  const [answered, answers] = [before['outputSchema'], after['outputSchema']];
  const at = `${path} /outputSchema`;
  if (isObject(answered) && isObject(answers)) compareSchemas(answered, answers, at, 'output', log);
  else if (answered !== undefined && answers === undefined)
    log.add('output-schema-removed', at, 'The tool no longer declares its output', { before: answered });
  else if (answered === undefined && answers !== undefined)
    log.add('output-schema-added', at, 'The tool now declares its output', { after: answers });
  else if (!isSame(answered, answers)) log.add('undecided', at, 'One of the two schemas is not an object');
  compareTasks(before, after, path, log);
}

function supportOf({ execution }: Json): string {
  const support = isObject(execution) ? execution['taskSupport'] : undefined;
  return typeof support === 'string' ? support : 'forbidden';
}

function compareTasks(before: Json, after: Json, path: string, log: ChangeLog): void {
  const [was, is] = [supportOf(before), supportOf(after)];
  if (was === is) return;
  const kind = is === 'required' ? 'task-required' : is === 'forbidden' ? 'task-forbidden' : 'task-allowed';
  log.add(kind, `${path} /execution/taskSupport`, `taskSupport was ${shown(was, 40)} and is ${shown(is, 40)}`, {
    before: was,
    after: is,
  });
}

function compareName(before: Json, after: Json, path: string, log: ChangeLog): void {
  if (!isSame(before['name'], after['name']))
    log.add(
      'title-changed',
      `${path} /name`,
      `The name was ${quoted(before['name'], 60)} and is ${quoted(after['name'], 60)}`,
      { before: before['name'], after: after['name'] },
    );
}

function comparePrompt(before: Json, after: Json, path: string, log: ChangeLog): void {
  const [was, is] = [argumentsOf(before), argumentsOf(after)];
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const at = `${path} /arguments/${shown(name, 80)}`;
    const [old, now] = [was.get(name), is.get(name)];
    const label = quoted(name, 60);
    if (old === undefined) {
      const required = now!['required'] === true;
      log.add(
        required ? 'prompt-argument-required' : 'prompt-argument-added',
        at,
        `The argument ${label} is new${required ? ', and required' : ''}`,
        { after: now },
      );
    } else if (now === undefined)
      log.add('prompt-argument-removed', at, `The argument ${label} is gone`, { before: old });
    else {
      const [must, mustNow] = [old['required'] === true, now['required'] === true];
      if (must !== mustNow)
        log.add(
          mustNow ? 'prompt-argument-required' : 'prompt-argument-optional',
          at,
          `The argument ${label} is ${mustNow ? 'required' : 'no longer required'}`,
        );
      for (const [member, kind] of [
        ['description', 'description-changed'],
        ['title', 'title-changed'],
      ] as const)
        if (!isSame(old[member], now[member]))
          log.add(kind, `${at}/${member}`, `The ${member} of the argument ${label} is another`, {
            before: old[member],
            after: now[member],
          });
    }
  }
}

function argumentsOf(prompt: Json): ReadonlyMap<string, Json> {
  const given = prompt['arguments'];
  const named = Array.isArray(given) ? given.filter(isObject) : [];
  return new Map(named.flatMap((each) => (typeof each['name'] === 'string' ? [[each['name'], each] as const] : [])));
}

export const ENTRY_KINDS = {
  tools: { kind: 'tool', key: 'name', compare: compareTool },
  resources: { kind: 'resource', key: 'uri', compare: compareName },
  templates: { kind: 'template', key: 'uriTemplate', compare: compareName },
  prompts: { kind: 'prompt', key: 'name', compare: comparePrompt },
} as const satisfies Record<string, Kind>;

/** Entries by their keys. Entries without a key are not compared. */
function keyed(entries: readonly unknown[], { kind, key }: Kind, log: ChangeLog, when: string): Map<string, Keyed> {
  const found = new Map<string, Keyed>();
  entries.forEach((entry, index) => {
    const name = isObject(entry) ? entry[key] : undefined;
    if (!isObject(entry) || typeof name !== 'string') {
      log.add(
        'entry-unusable',
        `${kind} #${index + 1}`,
        `The entry ${when} is not an object, or has no ${key}: it is not compared`,
      );
      return;
    }
    // If several have the same name, they are compared in order.
    let label = name;
    for (let count = 2; found.has(label); count += 1) label = `${name} #${count}`;
    found.set(label, { key: label, entry });
  });
  return found;
}

/** Compares two lists of entries. */
export function compareEntries(
  before: readonly unknown[],
  after: readonly unknown[],
  kind: Kind,
  log: ChangeLog,
): void {
  const [was, is] = [keyed(before, kind, log, 'before'), keyed(after, kind, log, 'now')];
  const gone = [...was.values()].filter(({ key }) => !is.has(key));
  const fresh = [...is.values()].filter(({ key }) => !was.has(key));
  const pathOf = ({ key }: Keyed): string => `${kind.kind} ${shown(key, 120)}`;
  for (const old of gone) {
    const successor = fresh.findIndex(({ entry }) => isSuccessor(old.entry, entry, kind));
    if (successor < 0) {
      log.add(`${kind.kind}-removed`, pathOf(old), `The ${kind.kind} is gone`, { before: old.entry });
      continue;
    }
    const [now] = fresh.splice(successor, 1) as [Keyed];
    if (kind.kind === 'tool')
      log.add('tool-renamed', pathOf(old), `The tool is called ${quoted(now.key, 60)} now`, {
        before: old.key,
        after: now.key,
      });
    else
      log.add('template-changed', pathOf(old), `The template is ${quoted(now.key, 120)} now`, {
        before: old.key,
        after: now.key,
      });
  }
  for (const now of fresh) log.add(`${kind.kind}-added`, pathOf(now), `The ${kind.kind} is new`, { after: now.entry });
  for (const [key, { entry }] of was) {
    const now = is.get(key);
    if (now === undefined) continue;
    const path = `${kind.kind} ${shown(key, 120)}`;
    compareMembers(entry, now.entry, path, log);
    kind.compare(entry, now.entry, path, log);
  }
}

/** Returns whether an entry was renamed: a tool with the same schema and description, or a template with the same name. */
function isSuccessor(before: Json, after: Json, { kind }: Kind): boolean {
  if (kind === 'template') return typeof before['name'] === 'string' && before['name'] === after['name'];
  if (kind !== 'tool' || typeof before['description'] !== 'string') return false;
  const text = canonical(before['inputSchema']);
  return (
    text !== undefined && before['description'] === after['description'] && text === canonical(after['inputSchema'])
  );
}
