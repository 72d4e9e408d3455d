import { DefinitionError } from '../protocol/errors.ts';
import { unusable } from './check-options.ts';

/** Named items that can change while the server runs. Clients are notified of changes, once for all changes within one turn. */
export interface Registry<T> extends Iterable<[string, T]> {
  /** The number of items. */
  readonly size: number;
  /** The item with this name; undefined if there is none. */
  get(name: string): T | undefined;
  /** Is there an item with this name? */
  has(name: string): boolean;
  /** Adds or replaces an item. Throws a `DefinitionError` for an invalid item. */
  set(name: string, item: T): void;
  /** Returns whether there was an item to delete. */
  delete(name: string): boolean;
}

/** An item and its compiled form. */
export interface Entry<T, C> {
  readonly item: T;
  readonly compiled: C;
}

/** A registry that keeps the compiled form of each item. */
export interface CompilingRegistry<T, C> extends Registry<T> {
  compiled(name: string): C | undefined;
  allCompiled(): IterableIterator<C>;
  /** Increases with every change. */
  readonly generation: number;
}

/** Something that can be prepared for use under a name, or throws. */
export interface Compilable<C> {
  readonly kind: string;
  readonly compile: (name: string) => C;
}

/** Makes a registry. Items are compiled once, when they are added; `check` throws for items that this registry does not allow. */
export function createRegistry<C, T extends Compilable<C>>(
  kind: T['kind'],
  initial: Readonly<Record<string, T>> | undefined,
  changed: () => void,
  check: (item: T) => void = () => {},
): CompilingRegistry<T, C> {
  const entries = new Map<string, Entry<T, C>>();
  let generation = 0;
  const put = (name: string, item: T): void => {
    if (name === '') throw new DefinitionError('no-name', `A ${kind} needs a name`);
    try {
      if (item?.kind !== kind) throw new TypeError(`make it with ${kind}(options, handler)`);
      const compiled = item.compile(name);
      check(item);
      entries.set(name, { item, compiled });
    } catch (cause) {
      throw unusable(kind, name, cause);
    }
    generation++;
  };
  for (const [name, item] of Object.entries(initial ?? {})) put(name, item);
  return {
    get size() {
      return entries.size;
    },
    get generation() {
      return generation;
    },
    get: (name) => entries.get(name)?.item,
    has: (name) => entries.has(name),
    set(name, item) {
      put(name, item);
      changed();
    },
    delete(name) {
      const had = entries.delete(name);
      if (had) {
        generation++;
        changed();
      }
      return had;
    },
    compiled: (name) => entries.get(name)?.compiled,
    *allCompiled() {
      for (const { compiled } of entries.values()) yield compiled;
    },
    *[Symbol.iterator]() {
      for (const [name, { item }] of entries) yield [name, item];
    },
  };
}
