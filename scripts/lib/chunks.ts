// Decides which modules of a package are bundled into one file. Each file that Node loads costs more than half a millisecond, but a bundler can drop
// only whole files. So modules that the same programs load share a file, and modules that only some programs load are in other files.

import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';

/** The imports of a module. */
export interface Imports {
  readonly importedIds: readonly string[];
  readonly dynamicallyImportedIds: readonly string[];
}

/** How the modules of a package are grouped into files. All paths are absolute. */
export interface Sharing {
  /** The entry files, which are published under their own names. */
  readonly entries: readonly string[];
  /** A module belongs to the first of these that imports it, directly or indirectly. Modules common to them are listed first. */
  readonly parts: readonly string[];
  /** An entry of programs that load none of the parts: its modules that a part shares get a file separate from the rest of that part. */
  readonly apart?: string;
  /**
   * Entries that must not change the files of the other entries: modules shared with those stay in the files where they would
   * be otherwise.
   */
  readonly last?: readonly string[];
}

/**
 * Makes the function that names the chunk of a module; null means no group. A module that no part imports is bundled with those that the
 * same entries and lazily loaded modules import.
 */
export function createChunkNames({ entries, parts, apart, last = [] }: Sharing) {
  let roots: Roots | undefined;
  let apartRoots: ReadonlySet<string> | undefined;
  return function name(id: string, context: { getModuleInfo(id: string): Imports | null }): string | null {
    roots ??= findRoots([...parts, ...entries], last, (module) => context.getModuleInfo(module) ?? NO_IMPORTS);
    const { nameOf } = roots;
    const by = roots.importing.get(id);
    // An entry has its own file, so that it has no additional exports.
    if (by === undefined || entries.includes(id)) return null;
    // All exports of a file loaded with `import()` are kept.
    if (roots.lazy.has(id) && by.length > 1) return `only-${nameOf(id)}`;
    const part = parts.find((root) => by.includes(root));
    if (part === undefined) return sharedName(by.map(nameOf));
    if (apart === undefined) return nameOf(part);
    const alone = (apartRoots ??= rootsApart(roots, apart, parts));
    return by.some((root) => alone.has(root)) ? `shared-${nameOf(apart)}` : nameOf(part);
  };
}

const NO_IMPORTS: Imports = { importedIds: [], dynamicallyImportedIds: [] };

interface Roots {
  /** For each module, the entries and lazily loaded modules that import it statically, directly or indirectly. */
  readonly importing: ReadonlyMap<string, readonly string[]>;
  /** The modules that are loaded lazily. */
  readonly lazy: ReadonlySet<string>;
  /** For each entry and lazily loaded module, the modules that it may load lazily. */
  readonly next: ReadonlyMap<string, readonly string[]>;
  /** A short name for each of them. */
  readonly nameOf: (root: string) => string;
}

function findRoots(first: readonly string[], last: readonly string[], importsOf: (module: string) => Imports): Roots {
  const importing = new Map<string, string[]>();
  const next = new Map<string, readonly string[]>();
  const roots = new Set(first);
  const lazy = new Set<string>();
  for (const root of roots) {
    const loaded = new Set([root]);
    const later = new Set<string>();
    for (const module of loaded) {
      const { importedIds, dynamicallyImportedIds } = importsOf(module);
      for (const imported of importedIds) loaded.add(imported);
      for (const imported of dynamicallyImportedIds) later.add(imported);
    }
    for (const module of loaded) importing.set(module, [...(importing.get(module) ?? []), root]);
    for (const module of later) {
      roots.add(module);
      lazy.add(module);
    }
    next.set(root, [...later]);
  }
  for (const [module, by] of importing) {
    const others = by.filter((root) => !last.includes(root));
    if (others.length > 0) importing.set(module, others);
  }
  const loaders = loadersOf(next, new Set(first), last);
  for (const [module, by] of importing) importing.set(module, firstLoaders(by, loaders));
  return { importing, lazy, next, nameOf: namesOf(roots) };
}

/** For each lazily loaded module that is not an entry, the roots that load it. */
function loadersOf(
  next: ReadonlyMap<string, readonly string[]>,
  entries: ReadonlySet<string>,
  last: readonly string[],
): Map<string, string[]> {
  const loaders = new Map<string, string[]>();
  for (const [root, modules] of next) {
    if (last.includes(root)) continue;
    for (const module of modules) {
      if (!entries.has(module)) loaders.set(module, [...(loaders.get(module) ?? []), root]);
    }
  }
  return loaders;
}

/** Of the roots that import a module, leaves out those that are only loaded after the module. */
function firstLoaders(by: readonly string[], loaders: ReadonlyMap<string, readonly string[]>): string[] {
  const having = new Set(by);
  for (let size = 0; size < having.size;) {
    size = having.size;
    for (const [root, its] of loaders) if (its.every((loader) => having.has(loader))) having.add(root);
  }
  return by.filter((root) => loaders.get(root)?.every((loader) => having.has(loader)) !== true);
}

/** The roots that programs with the entry `apart` may load, but programs with a part may not, and that do not import a part. */
function rootsApart({ importing, next }: Roots, apart: string, parts: readonly string[]): ReadonlySet<string> {
  const reach = (from: readonly string[]): Set<string> => {
    const reached = new Set(from);
    for (const root of reached) for (const module of next.get(root) ?? []) reached.add(module);
    return reached;
  };
  const ofParts = reach(parts);
  const needsRest = (root: string): boolean => parts.some((part) => importing.get(part)?.includes(root));
  return new Set([...reach([apart])].filter((root) => !ofParts.has(root) && !needsRest(root)));
}

/** A file name contains at most this number of module names. */
const MAX_NAMES = 3;

function sharedName(names: readonly string[]): string {
  if (names.length <= MAX_NAMES) return names.join('-');
  const digest = createHash('sha256').update(names.join()).digest('hex').slice(0, 6);
  return `${names.slice(0, MAX_NAMES).join('-')}-${digest}`;
}

/** Names roots by their files, and by their folders, too, where files have the same name. */
function namesOf(roots: Iterable<string>): (root: string) => string {
  const byName = Map.groupBy(roots, (root) => basename(root, '.ts'));
  return (root) => {
    const name = basename(root, '.ts');
    return (byName.get(name) ?? []).length > 1 ? `${basename(dirname(root))}-${name}` : name;
  };
}
