import type { Logger } from '../protocol/log.ts';
import { shown } from '../protocol/text.ts';
import type { Source } from './provider.ts';
import type { Compilable, CompilingRegistry } from './registry.ts';
import { sees, type Viewer, type Visible } from './visibility.ts';

/** An item that has been compiled under its name. */
export interface NamedItem {
  readonly name: string;
}

/** One kind of item: the server's own items, and the providers of more. */
export interface ItemKind<C extends NamedItem> {
  readonly kind: string;
  readonly held: CompilingRegistry<unknown, C>;
  readonly sources: readonly Source<Compilable<C>>[];
  visible(compiled: C): Visible | undefined;
}

/** The items of a server's providers. An item is compiled once per object. */
export class ProvidedItems {
  readonly #log: Logger;
  /** Includes items that could not be compiled, so that each is reported once. */
  readonly #compiled = new WeakMap<object, { readonly name: string; readonly compiled: unknown }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * The items of providers, except those with a name of the server's own items. If several list a name, the first wins, even if its item
   * cannot be used.
   */
  async list<C extends NamedItem>(from: ItemKind<C>, viewer: Viewer): Promise<C[]> {
    const found = new Map<string, C | undefined>();
    for (const source of from.sources) {
      for (const [name, item] of await source.list(viewer)) {
        if (!found.has(name) && !from.held.has(name)) found.set(name, this.#compile(from, name, item));
      }
    }
    return [...found.values()].filter((item) => item !== undefined);
  }

  /** The item with this name of the first provider that has one, if the viewer may see it. */
  async find<C extends NamedItem>(from: ItemKind<C>, name: string, viewer: Viewer): Promise<C | undefined> {
    for (const source of from.sources) {
      const item = await source.get(name, viewer);
      if (item === undefined) continue;
      const made = this.#compile(from, name, item);
      return made !== undefined && sees(viewer, from.visible(made)) ? made : undefined;
    }
    return undefined;
  }

  #compile<C extends NamedItem>({ kind }: ItemKind<C>, name: string, item: Compilable<C>): C | undefined {
    const known = this.#compiled.get(item);
    if (known?.name === name) return known.compiled as C | undefined;
    let made: C | undefined;
    try {
      if (item?.kind !== kind) throw new TypeError(`make it with ${kind}(options, handler)`);
      made = item.compile(name);
    } catch (error) {
      this.#log({
        level: 'error',
        event: 'provider-item-unusable',
        message: `The ${kind} '${shown(name)}' of a provider cannot be used and is left out`,
        details: error,
      });
    }
    if (typeof item === 'object' && item !== null) this.#compiled.set(item, { name, compiled: made });
    return made;
  }
}
