import { isObject } from '@tenon/values/is-object';
import { listOf, quoted, shown, type Json } from '../values/words.ts';
import { isSame } from '../values/canonical-value.ts';
import { createLog, type Change, type ChangeLog } from './change.ts';
import { compareEntries, ENTRY_KINDS } from './compare-entries.ts';
import { SURFACE_LISTS, type Surface } from './surface.ts';

/**
 * The differences between two surfaces, and their effects on users of the server, most severe first. The order of entries,
 * members and names does not matter, nor do digits beyond the precision of JavaScript. Changes that cannot be decided are
 * `risky`, and say so. Never throws; at most 5,000 changes.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { compareSurfaces, readSurface } from '@tenon/inspector';
 *
 * const [before, after] = await Promise.all(['1.0.json', '2.0.json'].map((file) => readFile(file, 'utf8')));
 * const changes = compareSurfaces(readSurface(before!), readSurface(after!));
 * const breaks = changes.some(({ level }) => level === 'breaking');
 * ```
 */
export function compareSurfaces(before: Surface, after: Surface): readonly Change[] {
  const log = createLog();
  compareServers(before, after, log);
  compareCapabilities(before.capabilities, after.capabilities, log);
  for (const list of SURFACE_LISTS) compareEntries(listOf(before[list]), listOf(after[list]), ENTRY_KINDS[list], log);
  return log.changes.toSorted((a, b) => RANK[a.level] - RANK[b.level]);
}

const RANK = { breaking: 0, risky: 1, compatible: 2 } as const;

function compareServers(before: Surface, after: Surface, log: ChangeLog): void {
  const [was, is] = [before.server, after.server].map((server): Json => (isObject(server) ? server : {})) as [
    Json,
    Json,
  ];
  for (const [member, kind] of [
    ['name', 'server-renamed'],
    ['version', 'version-changed'],
    ['title', 'title-changed'],
    ['description', 'description-changed'],
  ] as const)
    if (!isSame(was[member], is[member]))
      log.add(
        kind,
        `server /${member}`,
        `The ${member} of the server was ${quoted(was[member], 60)} and is ${quoted(is[member], 60)}`,
        { before: was[member], after: is[member] },
      );
  if (before.revision !== after.revision)
    log.add(
      'revision-changed',
      'server /revision',
      `The revision was ${quoted(before.revision, 20)} and is ${quoted(after.revision, 20)}`,
      { before: before.revision, after: after.revision },
    );
  if (!isSame(before.instructions, after.instructions))
    log.add(
      'instructions-changed',
      'server /instructions',
      `The instructions are ${after.instructions === undefined ? 'gone' : before.instructions === undefined ? 'new' : 'different'}`,
      { before: before.instructions, after: after.instructions },
    );
}

/** The parts of a capability, two levels deep: `resources`, `resources.subscribe`. `false` counts as missing. */
function partsOf(capabilities: unknown): ReadonlyMap<string, unknown> {
  const parts = new Map<string, unknown>();
  if (!isObject(capabilities)) return parts;
  for (const [name, value] of Object.entries(capabilities)) {
    if (value === undefined || value === null || value === false) continue;
    parts.set(name, undefined);
    if (!isObject(value)) parts.set(name, value);
    else
      for (const [part, setting] of Object.entries(value))
        if (setting !== undefined && setting !== false) parts.set(`${name}.${part}`, setting);
  }
  return parts;
}

function compareCapabilities(before: unknown, after: unknown, log: ChangeLog): void {
  const [was, is] = [partsOf(before), partsOf(after)];
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const outer = name.split('.')[0]!;
    // A whole capability that was added or removed is reported once.
    if (name !== outer && was.has(outer) !== is.has(outer)) continue;
    const [path, label] = [`server /capabilities/${shown(name, 80).replace('.', '/')}`, quoted(name, 80)];
    if (!is.has(name))
      log.add('capability-removed', path, `The capability ${label} is gone`, { before: was.get(name) });
    else if (!was.has(name))
      log.add('capability-added', path, `The capability ${label} is new`, { after: is.get(name) });
    else if (!isSame(was.get(name), is.get(name)))
      log.add('capability-changed', path, `The settings of ${label} are others`, {
        before: was.get(name),
        after: is.get(name),
      });
  }
}
