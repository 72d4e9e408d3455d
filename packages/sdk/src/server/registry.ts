import { DefinitionError } from '../protocol/errors.ts';
import { shown } from '../protocol/text.ts';

/** Named things that can change while the server runs. Clients are told of changes, once for all that happen without a wait between them. */
export interface Registry<T> extends Iterable<[string, T]> {
  readonly size: number;
  get(name: string): T | undefined;
  has(name: string): boolean;
  /** Adds or replaces. Throws a `DefinitionError` for something that cannot work. */
  set(name: string, item: T): void;
  /** Tells whether there was something to delete. */
  delete(name: string): boolean;
}

/** What a compiled thing is made of. */
export interface Entry<T, C> {
  readonly item: T;
  readonly compiled: C;
}

/** A registry that keeps beside each thing what was compiled from it. */
export interface CompilingRegistry<T, C> extends Registry<T> {
  compiled(name: string): C | undefined;
  allCompiled(): IterableIterator<C>;
  /** Grows with every change. */
  readonly generation: number;
}

/** Something that can be made ready for use under a name, or throws. */
export interface Compilable<C> {
  readonly kind: string;
  readonly compile: (name: string) => C;
}

/** Makes a registry. Things are compiled once, when they are put in; `check` throws for what cannot be put into this one. */
export const createRegistry = <C, T extends Compilable<C>>(
  kind: T['kind'],
  initial: Readonly<Record<string, T>> | undefined,
  changed: () => void,
  check: (item: T) => void = () => {},
): CompilingRegistry<T, C> => {
  const entries = new Map<string, Entry<T, C>>();
  let generation = 0;
  const put = (name: string, item: T): void => {
    if (name === '') throw new DefinitionError(`A ${kind} needs a name`);
    try {
      if (item?.kind !== kind) throw new TypeError(`make it with ${kind}(options, handler)`);
      const compiled = item.compile(name);
      check(item);
      entries.set(name, { item, compiled });
    } catch (cause) {
      throw new DefinitionError(
        `The ${kind} '${shown(name)}' cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
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
};
