import type { Lists, ListMethod } from '../protocol/results.ts';
import type { Logger } from '../protocol/log.ts';
import type { Maybe } from '../protocol/maybe.ts';
import type { ChangingList } from './changes.ts';
import type { Context } from './context.ts';
import type { Internals } from './define.ts';
import type { CompiledPrompt } from './prompt.ts';
import type { ItemKind, NamedItem, ProvidedItems } from './provided-items.ts';
import type { CompiledResource } from './resource.ts';
import type { CompiledTool } from './tool.ts';
import { sees, type Viewer } from './visibility.ts';

/** The tools, resources and prompts of a server as one viewer sees them. Lists and lookups follow the same rule. */
export class Catalog {
  readonly #tools: ItemKind<CompiledTool>;
  readonly #resources: ItemKind<CompiledResource>;
  readonly #prompts: ItemKind<CompiledPrompt>;
  readonly #log: Logger;
  #provided: Promise<ProvidedItems> | undefined;
  #templates: readonly CompiledResource[] = [];
  #templatesGeneration = -1;

  constructor({ tools, resources, prompts, providers }: Internals, log: Logger) {
    const sources = <Kind extends ChangingList>(kind: Kind) =>
      providers.map((provider) => provider[kind]).filter((source) => source !== undefined);
    this.#tools = {
      kind: 'tool',
      held: tools,
      sources: sources('tools'),
      visible: ({ tool }) => tool.options.visible,
    };
    this.#resources = {
      kind: 'resource',
      held: resources,
      sources: sources('resources'),
      visible: ({ resource }) => resource.options.visible,
    };
    this.#prompts = {
      kind: 'prompt',
      held: prompts,
      sources: sources('prompts'),
      visible: ({ prompt }) => prompt.options.visible,
    };
    this.#log = log;
  }

  tool(name: string, viewer: Viewer): Maybe<CompiledTool | undefined> {
    return this.#find(this.#tools, name, viewer);
  }

  /** The resource with exactly this URI, or the template with this text. `findResource` also matches URIs with templates. */
  resource(uri: string, viewer: Viewer): Maybe<CompiledResource | undefined> {
    return this.#find(this.#resources, uri, viewer);
  }

  prompt(name: string, viewer: Viewer): Maybe<CompiledPrompt | undefined> {
    return this.#find(this.#prompts, name, viewer);
  }

  /** All templates, the server's own first. */
  templates(viewer: Viewer): Maybe<readonly CompiledResource[]> {
    const { sources, visible } = this.#resources;
    if (sources.length > 0) return this.#all(this.#resources, viewer).then(onlyTemplates);
    return this.#heldTemplates().filter((template) => sees(viewer, visible(template)));
  }

  /** All entries of a list. `context` is for the `list` functions of templates. */
  async entries<M extends ListMethod>(method: M, viewer: Viewer, context: () => Context): Promise<Lists[M]['entry'][]> {
    const items = await this.#all(this.#kindOf(method), viewer);
    if (method === 'resources/list')
      return (await import('./list-resources.ts')).listResources(items as CompiledResource[], context) as never;
    return (method === 'resources/templates/list' ? onlyTemplates(items as CompiledResource[]) : items).map(
      ({ entry }): Lists[M]['entry'] => entry,
    );
  }

  /** Identifies the state of a list that only changes through its registry; undefined if it has to be read each time. */
  generation(method: ListMethod): number | undefined {
    const { held, sources } = this.#kindOf(method);
    const isLive =
      sources.length > 0 ||
      (method === 'resources/list' &&
        this.#heldTemplates().some(({ resource }) => resource.options.list !== undefined));
    return isLive ? undefined : held.generation;
  }

  /** Does any template or prompt offer completion? */
  completes(): boolean {
    return (
      this.#prompts.sources.length > 0 ||
      this.#resources.sources.length > 0 ||
      this.#heldTemplates().some(({ resource }) => resource.options.complete !== undefined) ||
      [...this.#prompts.held.allCompiled()].some(({ prompt }) => prompt.options.complete !== undefined)
    );
  }

  #kindOf(method: ListMethod): ItemKind<CompiledTool | CompiledPrompt | CompiledResource> {
    return method === 'tools/list' ? this.#tools : method === 'prompts/list' ? this.#prompts : this.#resources;
  }

  // Not async: the server's own items are found without a turn of the event loop.
  #find<C extends NamedItem>(from: ItemKind<C>, name: string, viewer: Viewer): Maybe<C | undefined> {
    const held = from.held.compiled(name);
    if (held !== undefined) return sees(viewer, from.visible(held)) ? held : undefined;
    if (from.sources.length > 0) return this.#loadProvided().then((provided) => provided.find(from, name, viewer));
    return undefined;
  }

  async #all<C extends NamedItem>(from: ItemKind<C>, viewer: Viewer): Promise<C[]> {
    const provided = from.sources.length === 0 ? [] : await (await this.#loadProvided()).list(from, viewer);
    return [...from.held.allCompiled(), ...provided].filter((item) => sees(viewer, from.visible(item)));
  }

  #loadProvided(): Promise<ProvidedItems> {
    return (this.#provided ??= import('./provided-items.ts').then((loaded) => new loaded.ProvidedItems(this.#log)));
  }

  #heldTemplates(): readonly CompiledResource[] {
    const { held } = this.#resources;
    if (this.#templatesGeneration !== held.generation) {
      this.#templatesGeneration = held.generation;
      this.#templates = onlyTemplates([...held.allCompiled()]);
    }
    return this.#templates;
  }
}

function onlyTemplates(items: readonly CompiledResource[]): readonly CompiledResource[] {
  return items.filter(({ template }) => template !== undefined);
}
