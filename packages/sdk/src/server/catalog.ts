import type { Lists, ListMethod } from '../protocol/results.ts';
import type { Logger } from '../protocol/log.ts';
import type { Maybe } from '../protocol/maybe.ts';
import type { Context } from './context.ts';
import type { Internals } from './define.ts';
import type { CompiledPrompt } from './prompt.ts';
import type { Source } from './provider.ts';
import type { Compilable } from './registry.ts';
import { type CompiledResource, resourceEntry } from './resource.ts';
import type { CompiledTool } from './tool.ts';
import { askedUriProblem } from './uri.ts';
import { sees, type Viewer, type Visible } from './visibility.ts';

/** A resource that was found, with the variables of its template. */
export interface FoundResource {
  readonly resource: CompiledResource;
  readonly variables: ReadonlyMap<string, string | string[]>;
}

/** The things of a server as one viewer sees them: listed and found by the same rule. */
export interface Catalog {
  tool(name: string, viewer: Viewer): Maybe<CompiledTool | undefined>;
  resource(uri: string, viewer: Viewer): Promise<FoundResource | undefined>;
  template(text: string, viewer: Viewer): Promise<CompiledResource | undefined>;
  prompt(name: string, viewer: Viewer): Promise<CompiledPrompt | undefined>;
  /** All entries of a list. `context` is for the `list` functions of templates. */
  entries<M extends ListMethod>(method: M, viewer: Viewer, context: () => Context): Promise<Lists[M]['entry'][]>;
  /** Names the state of a list that never changes by itself; undefined when it has to be asked for every time. */
  generation(method: ListMethod): number | undefined;
  /** Does any template or prompt complete something? */
  completes(): boolean;
}

interface Named {
  readonly name: string;
}

/** One kind of thing: what the server holds itself, and where more comes from. */
interface Kind<C extends Named> {
  readonly held: { compiled(name: string): C | undefined; allCompiled(): Iterable<C> };
  readonly sources: readonly Source<Compilable<C>>[];
  readonly visible: (compiled: C) => Visible | undefined;
}

/** Makes the catalog of a server. Things of providers are compiled once per object. */
export const createCatalog = (of: Internals, log: Logger): Catalog => {
  const tools: Kind<CompiledTool> = { held: of.tools, sources: sourcesOf(of, 'tools'), visible: ({ tool }) => tool.options.visible };
  const resources: Kind<CompiledResource> = { held: of.resources, sources: sourcesOf(of, 'resources'), visible: ({ resource }) => resource.options.visible };
  const prompts: Kind<CompiledPrompt> = { held: of.prompts, sources: sourcesOf(of, 'prompts'), visible: ({ prompt }) => prompt.options.visible };
  const compiled = new WeakMap<object, { name: string; compiled: unknown }>();

  const compileItem = <C extends Named>(name: string, item: Compilable<C>): C | undefined => {
    const known = compiled.get(item);
    if (known?.name === name) return known.compiled as C;
    try {
      const made = item.compile(name);
      compiled.set(item, { name, compiled: made });
      return made;
    } catch (error) {
      log({ level: 'error', event: 'provider-item-unusable', message: `A provider gave '${name}', which cannot be used and is left out`, details: error });
      return undefined;
    }
  };

  const all = async <C extends Named>(from: Kind<C>, viewer: Viewer): Promise<C[]> => {
    const seen = new Map<string, C>();
    for (const item of from.held.allCompiled()) seen.set(item.name, item);
    for (const source of from.sources) {
      for (const [name, item] of await source.list(viewer)) {
        const made = seen.has(name) ? undefined : compileItem(name, item);
        if (made !== undefined) seen.set(name, made);
      }
    }
    return [...seen.values()].filter((item) => sees(viewer, from.visible(item)));
  };

  const fromSources = async <C extends Named>(from: Kind<C>, name: string, viewer: Viewer): Promise<C | undefined> => {
    for (const source of from.sources) {
      const item = await source.get(name, viewer);
      if (item === undefined) continue;
      const made = compileItem(name, item);
      return made !== undefined && sees(viewer, from.visible(made)) ? made : undefined;
    }
    return undefined;
  };

  // Not async: a tool the server holds is found without a turn of the event loop.
  const find = <C extends Named>(from: Kind<C>, name: string, viewer: Viewer): C | undefined | Promise<C | undefined> => {
    const held = from.held.compiled(name);
    if (held !== undefined) return sees(viewer, from.visible(held)) ? held : undefined;
    return from.sources.length === 0 ? undefined : fromSources(from, name, viewer);
  };

  const matching = async (uri: string, viewer: Viewer): Promise<FoundResource | undefined> => {
    let best: FoundResource | undefined;
    for (const candidate of await all(resources, viewer)) {
      const variables = candidate.template?.match(uri);
      if (variables === undefined) continue;
      if (best === undefined || candidate.template!.specificity > best.resource.template!.specificity) best = { resource: candidate, variables };
    }
    return best;
  };

  const listed = async (viewer: Viewer, context: () => Context): Promise<Lists['resources/list']['entry'][]> => {
    const found = new Map<string, Lists['resources/list']['entry']>();
    for (const { name, template, entry, resource } of await all(resources, viewer)) {
      if (template === undefined) found.set(name, entry as Lists['resources/list']['entry']);
      else for (const item of (await resource.options.list?.(context())) ?? []) if (!found.has(item.uri)) found.set(item.uri, resourceEntry(item));
    }
    return [...found.values()];
  };

  const lists: { readonly [M in ListMethod]: (viewer: Viewer, context: () => Context) => Promise<Lists[M]['entry'][]> } = {
    'tools/list': async (viewer) => (await all(tools, viewer)).map(({ entry }) => entry),
    'prompts/list': async (viewer) => (await all(prompts, viewer)).map(({ entry }) => entry),
    'resources/list': listed,
    'resources/templates/list': async (viewer) =>
      (await all(resources, viewer)).filter(({ template }) => template).map(({ entry }) => entry as Lists['resources/templates/list']['entry']),
  };

  return {
    tool: (name, viewer) => find(tools, name, viewer),
    prompt: async (name, viewer) => find(prompts, name, viewer),
    template: async (text, viewer) => {
      const found = await find(resources, text, viewer);
      return found?.template === undefined ? undefined : found;
    },
    async resource(uri, viewer) {
      if (askedUriProblem(uri) !== undefined) return undefined;
      const exact = await find(resources, uri, viewer);
      if (exact !== undefined && exact.template === undefined) return { resource: exact, variables: new Map() };
      return matching(uri, viewer);
    },
    entries: (method, viewer, context) => lists[method](viewer, context) as never,
    generation(method) {
      if (method === 'tools/list') return tools.sources.length === 0 ? of.tools.generation : undefined;
      if (method === 'prompts/list') return prompts.sources.length === 0 ? of.prompts.generation : undefined;
      if (resources.sources.length > 0) return undefined;
      const live = method === 'resources/list' && [...of.resources].some(([, { options }]) => options.list !== undefined);
      return live ? undefined : of.resources.generation;
    },
    completes: () =>
      of.providers.some((provider) => provider.prompts !== undefined || provider.resources !== undefined) ||
      [...of.prompts].some(([, { options }]) => options.complete !== undefined) ||
      [...of.resources].some(([, { options }]) => options.complete !== undefined),
  };
};

const sourcesOf = <C>(of: Internals, kind: 'tools' | 'resources' | 'prompts'): Source<Compilable<C>>[] =>
  of.providers.flatMap((provider) => (provider[kind] === undefined ? [] : [provider[kind] as unknown as Source<Compilable<C>>]));
