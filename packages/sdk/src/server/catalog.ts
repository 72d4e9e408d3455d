import type { Lists, ListMethod } from '../protocol/results.ts';
import type { Logger } from '../protocol/log.ts';
import { andThen, type Maybe } from '../protocol/maybe.ts';
import { shown } from '../protocol/text.ts';
import type { Context } from './context.ts';
import type { Internals } from './define.ts';
import type { CompiledPrompt } from './prompt.ts';
import type { Source } from './provider.ts';
import type { Compilable, CompilingRegistry } from './registry.ts';
import { type CompiledResource, resourceEntry } from './resource.ts';
import type { CompiledTool } from './tool.ts';
import { requestedUriProblem } from './uri.ts';
import { sees, type Viewer, type Visible } from './visibility.ts';

/** A resource that was found, with the variables of its template. */
export interface FoundResource {
  readonly resource: CompiledResource;
  readonly variables: ReadonlyMap<string, string | string[]>;
}

/** The tools, resources and prompts of a server as one viewer sees them. Lists and lookups follow the same rule. */
export interface Catalog {
  tool(name: string, viewer: Viewer): Maybe<CompiledTool | undefined>;
  resource(uri: string, viewer: Viewer): Maybe<FoundResource | undefined>;
  template(text: string, viewer: Viewer): Maybe<CompiledResource | undefined>;
  prompt(name: string, viewer: Viewer): Maybe<CompiledPrompt | undefined>;
  /** All entries of a list. `context` is for the `list` functions of templates. */
  entries<M extends ListMethod>(method: M, viewer: Viewer, context: () => Context): Promise<Lists[M]['entry'][]>;
  /** Identifies the state of a list that only changes through its registry; undefined if it has to be read each time. */
  generation(method: ListMethod): number | undefined;
  /** Does any template or prompt offer completion? */
  completes(): boolean;
}

interface Named {
  readonly name: string;
}

/** One kind of item: the server's own items, and the providers of more. */
interface Kind<C extends Named> {
  readonly kind: string;
  readonly held: CompilingRegistry<unknown, C>;
  readonly sources: readonly Source<Compilable<C>>[];
  readonly visible: (compiled: C) => Visible | undefined;
}

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();

/** Makes the catalog of a server. Items of providers are compiled once per object. */
export function createCatalog(of: Internals, log: Logger): Catalog {
  const tools: Kind<CompiledTool> = {
    kind: 'tool',
    held: of.tools,
    sources: sourcesOf(of, 'tools'),
    visible: ({ tool }) => tool.options.visible,
  };
  const resources: Kind<CompiledResource> = {
    kind: 'resource',
    held: of.resources,
    sources: sourcesOf(of, 'resources'),
    visible: ({ resource }) => resource.options.visible,
  };
  const prompts: Kind<CompiledPrompt> = {
    kind: 'prompt',
    held: of.prompts,
    sources: sourcesOf(of, 'prompts'),
    visible: ({ prompt }) => prompt.options.visible,
  };
  /** Includes items that could not be compiled, so that each is reported once. */
  const compiled = new WeakMap<object, { readonly name: string; readonly compiled: unknown }>();

  const compileItem = <C extends Named>({ kind }: Kind<C>, name: string, item: Compilable<C>): C | undefined => {
    const known = compiled.get(item);
    if (known?.name === name) return known.compiled as C | undefined;
    let made: C | undefined;
    try {
      if (item?.kind !== kind) throw new TypeError(`make it with ${kind}(options, handler)`);
      made = item.compile(name);
    } catch (error) {
      log({
        level: 'error',
        event: 'provider-item-unusable',
        message: `The ${kind} '${shown(name)}' of a provider cannot be used and is left out`,
        details: error,
      });
    }
    if (typeof item === 'object' && item !== null) compiled.set(item, { name, compiled: made });
    return made;
  };

  /**
   * Items that providers list under names that the server itself does not have. If several list a name, the first wins, even if its item
   * cannot be used.
   */
  const fromLists = async <C extends Named>(from: Kind<C>, viewer: Viewer): Promise<C[]> => {
    const found = new Map<string, C | undefined>();
    for (const source of from.sources) {
      for (const [name, item] of await source.list(viewer)) {
        if (!found.has(name) && !from.held.has(name)) found.set(name, compileItem(from, name, item));
      }
    }
    return [...found.values()].filter((item) => item !== undefined);
  };

  const all = async <C extends Named>(from: Kind<C>, viewer: Viewer): Promise<C[]> => {
    const listed = from.sources.length === 0 ? [] : await fromLists(from, viewer);
    return [...from.held.allCompiled(), ...listed].filter((item) => sees(viewer, from.visible(item)));
  };

  const fromSources = async <C extends Named>(from: Kind<C>, name: string, viewer: Viewer): Promise<C | undefined> => {
    for (const source of from.sources) {
      const item = await source.get(name, viewer);
      if (item === undefined) continue;
      const made = compileItem(from, name, item);
      return made !== undefined && sees(viewer, from.visible(made)) ? made : undefined;
    }
    return undefined;
  };

  // Not async: the server's own items are found without a turn of the event loop.
  const find = <C extends Named>(from: Kind<C>, name: string, viewer: Viewer): Maybe<C | undefined> => {
    const held = from.held.compiled(name);
    if (held !== undefined) return sees(viewer, from.visible(held)) ? held : undefined;
    return from.sources.length === 0 ? undefined : fromSources(from, name, viewer);
  };

  let templates: readonly CompiledResource[] = [];
  let templatesOf = -1;
  const heldTemplates = (): readonly CompiledResource[] => {
    if (templatesOf !== of.resources.generation) {
      templatesOf = of.resources.generation;
      templates = [...of.resources.allCompiled()].filter(({ template }) => template !== undefined);
    }
    return templates;
  };

  /** The most specific template that matches; of equally specific ones, the first. */
  const matching = (
    candidates: readonly CompiledResource[],
    uri: string,
    viewer: Viewer,
  ): FoundResource | undefined => {
    let best: FoundResource | undefined;
    for (const candidate of candidates) {
      if (!sees(viewer, resources.visible(candidate))) continue;
      const variables = candidate.template?.match(uri);
      if (variables === undefined) continue;
      if (best === undefined || candidate.template!.specificity > best.resource.template!.specificity)
        best = { resource: candidate, variables };
    }
    return best;
  };

  const listed = async (viewer: Viewer, context: () => Context): Promise<Lists['resources/list']['entry'][]> => {
    const found = new Map<string, Lists['resources/list']['entry']>();
    for (const { name, template, entry, resource } of await all(resources, viewer)) {
      if (template === undefined) {
        found.set(name, entry as Lists['resources/list']['entry']);
        continue;
      }
      for (const item of (await resource.options.list?.(context())) ?? []) {
        if (typeof item?.uri !== 'string' || typeof item.name !== 'string')
          throw new TypeError(`\`list\` of the template '${name}' returned an item without uri or name`);
        if (!found.has(item.uri)) found.set(item.uri, resourceEntry(item));
      }
    }
    return [...found.values()];
  };

  const lists: {
    readonly [M in ListMethod]: (viewer: Viewer, context: () => Context) => Promise<Lists[M]['entry'][]>;
  } = {
    'tools/list': async (viewer) => (await all(tools, viewer)).map(({ entry }) => entry),
    'prompts/list': async (viewer) => (await all(prompts, viewer)).map(({ entry }) => entry),
    'resources/list': listed,
    'resources/templates/list': async (viewer) =>
      (await all(resources, viewer))
        .filter(({ template }) => template)
        .map(({ entry }) => entry as Lists['resources/templates/list']['entry']),
  };

  return {
    tool: (name, viewer) => find(tools, name, viewer),
    prompt: (name, viewer) => find(prompts, name, viewer),
    template: (text, viewer) =>
      andThen(find(resources, text, viewer), (found) => (found?.template === undefined ? undefined : found)),
    resource(uri, viewer) {
      if (requestedUriProblem(uri) !== undefined) return undefined;
      return andThen(find(resources, uri, viewer), (exact): Maybe<FoundResource | undefined> => {
        if (exact !== undefined && exact.template === undefined) return { resource: exact, variables: NO_VARIABLES };
        if (resources.sources.length === 0) return matching(heldTemplates(), uri, viewer);
        return fromLists(resources, viewer).then((more) => matching([...heldTemplates(), ...more], uri, viewer));
      });
    },
    entries: (method, viewer, context) => lists[method](viewer, context) as never,
    generation(method) {
      if (method === 'tools/list') return tools.sources.length === 0 ? of.tools.generation : undefined;
      if (method === 'prompts/list') return prompts.sources.length === 0 ? of.prompts.generation : undefined;
      if (resources.sources.length > 0) return undefined;
      const live =
        method === 'resources/list' && heldTemplates().some(({ resource }) => resource.options.list !== undefined);
      return live ? undefined : of.resources.generation;
    },
    completes: () =>
      prompts.sources.length > 0 ||
      resources.sources.length > 0 ||
      heldTemplates().some(({ resource }) => resource.options.complete !== undefined) ||
      any(of.prompts.allCompiled(), ({ prompt }) => prompt.options.complete !== undefined),
  };
}

function any<T>(items: Iterable<T>, test: (item: T) => boolean): boolean {
  for (const item of items) if (test(item)) return true;
  return false;
}

function sourcesOf<C>(of: Internals, kind: 'tools' | 'resources' | 'prompts'): Source<Compilable<C>>[] {
  return of.providers.flatMap((provider) =>
    provider[kind] === undefined ? [] : [provider[kind] as unknown as Source<Compilable<C>>],
  );
}
