// Which modules of a package are bundled into one file. Each file that Node loads costs more than half a millisecond, and a bundler leaves
// out whole files only: so what the same programs load is one file, and what only some of them load is another.

import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** What a module imports. */
export interface Imports {
  readonly importedIds: readonly string[];
  readonly dynamicallyImportedIds: readonly string[];
}

/** How the modules of a package are shared out. All are absolute paths. */
export interface Sharing {
  /** The files that are published under their own names. */
  readonly entries: readonly string[];
  /** A module belongs to the first of these that imports it, also by way of others. What they have in common comes first. */
  readonly parts: readonly string[];
  /** An entry of programs that load none of the parts: what it has in common with a part is kept apart from the rest of that part. */
  readonly apart?: string;
  /**
   * Entries that cost the programs of the other entries nothing: the modules that they share with those stay in the files in which they would
   * be without them.
   */
  readonly last?: readonly string[];
}

/**
 * Gives the function that names the chunk of a module; null leaves it alone. A module that no part imports is bundled with those that the
 * same entries and lazily loaded modules import.
 */
export function createChunkNames({ entries, parts, apart, last = [] }: Sharing) {
  let roots: Roots | undefined;
  let apartRoots: ReadonlySet<string> | undefined;
  return function name(id: string, context: { getModuleInfo(id: string): Imports | null }): string | null {
    roots ??= findRoots([...parts, ...entries], last, (module) => context.getModuleInfo(module) ?? NO_IMPORTS);
    const by = roots.importing.get(id);
    // An entry has a file of its own, so that it exports nothing but what it says.
    if (by === undefined || entries.includes(id)) return null;
    // `import()` of a file keeps all that it exports.
    if (roots.lazy.has(id) && by.length > 1) return `only-${nameOf(id)}`;
    const part = parts.find((root) => by.includes(root));
    if (part === undefined) return sharedName(by);
    if (apart === undefined) return nameOf(part);
    const alone = (apartRoots ??= rootsApart(roots, apart, parts));
    return by.some((root) => alone.has(root)) ? `shared-${nameOf(apart)}` : nameOf(part);
  };
}

const NO_IMPORTS: Imports = { importedIds: [], dynamicallyImportedIds: [] };

interface Roots {
  /** For each module the entries and lazily loaded modules that import it statically, also by way of others. */
  readonly importing: ReadonlyMap<string, readonly string[]>;
  /** The modules that are loaded lazily. */
  readonly lazy: ReadonlySet<string>;
  /** For each entry and lazily loaded module what it may load lazily itself. */
  readonly next: ReadonlyMap<string, readonly string[]>;
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
  return { importing, lazy, next };
}

/** The roots that programs with the entry `apart` may load, and that neither programs with a part may load nor need the rest of a part. */
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

/** A file name can hold only so many names. */
const MOST_NAMES = 3;

function sharedName(roots: readonly string[]): string {
  const names = roots.map(nameOf);
  if (names.length <= MOST_NAMES) return names.join('-');
  const digest = createHash('sha256').update(names.join()).digest('hex').slice(0, 6);
  return `${names.slice(0, MOST_NAMES).join('-')}-${digest}`;
}

function nameOf(path: string): string {
  return basename(path, '.ts');
}
