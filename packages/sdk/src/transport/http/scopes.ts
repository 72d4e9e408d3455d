import type { Denial, Gatekeeper } from '../../protocol/auth.ts';
import { DefinitionError } from '../../protocol/errors.ts';
import { isScope } from '../../protocol/scope.ts';
import type { Principal } from '../../protocol/request-context.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { andThen, type Maybe } from '../../protocol/maybe.ts';
import type { Catalog } from '../../server/catalog.ts';
import { findResource, findTemplate, type FoundResource } from '../../server/find-resource.ts';
import type { Engine } from '../../server/engine.ts';
import { findReadable } from '../../server/methods/find-readable.ts';
import type { CompiledTool } from '../../server/tool.ts';
import type { Viewer } from '../../server/visibility.ts';

/** Determines which scopes calls need, in addition to those of every request. */
export interface Scopes {
  /** Does anything currently need scopes? If not, messages need not be checked. */
  readonly inUse: boolean;
  /** The denial for a message or batch that needs scopes the sender lacks; undefined if there are none. Runs before any call. */
  refuses(message: unknown, principal: Principal | undefined): Maybe<Denial | undefined>;
}

type NeededScopes = Maybe<readonly string[]>;
const NONE: readonly string[] = [];

/** The scopes a function of the author returned; checked each time, because an invalid value must not let a caller in. */
function checked(scopes: unknown): readonly string[] {
  if (scopes === undefined) return NONE;
  if (Array.isArray(scopes) && scopes.every(isScope)) return scopes;
  throw new TypeError('`scopes` must be a list of strings without spaces and quotes, or a function that returns one');
}

/** The scopes that a tool call needs. Invalid arguments need none: they are answered with an error that describes them. */
function needsOfTool(found: CompiledTool | undefined, args: unknown): NeededScopes {
  const scopes = found?.tool.options.scopes;
  if (typeof scopes !== 'function') return checked(scopes);
  return andThen(found!.input === undefined ? { value: {} } : found!.input.check(args ?? {}), (input) =>
    'value' in input ? andThen(scopes(input.value as never) as Maybe<unknown>, checked) : NONE,
  );
}

function needsOfUri(catalog: Catalog, uri: unknown, viewer: Viewer): NeededScopes {
  return typeof uri !== 'string' ? NONE : andThen(findResource(catalog, uri, viewer), needsOfResource);
}

function needsOfResource(found: FoundResource | undefined): NeededScopes {
  return checked(found?.resource.resource.options.scopes);
}

function needsOfPrompt(catalog: Catalog, name: unknown, viewer: Viewer): NeededScopes {
  return typeof name !== 'string'
    ? NONE
    : andThen(catalog.prompt(name, viewer), (found) => checked(found?.prompt.options.scopes));
}

/** The scopes that each method needs, by its target. A caller who may not read a resource may not watch or complete it either. */
const NEEDS: ReadonlyMap<string, (catalog: Catalog, params: JsonObject, viewer: Viewer) => NeededScopes> = new Map([
  [
    'tools/call',
    (catalog, { name, arguments: args }, viewer) =>
      typeof name === 'string' ? andThen(catalog.tool(name, viewer), (found) => needsOfTool(found, args)) : NONE,
  ],
  ['prompts/get', (catalog, { name }, viewer) => needsOfPrompt(catalog, name, viewer)],
  [
    'resources/read',
    (catalog, { uri }, viewer) =>
      typeof uri !== 'string' ? NONE : andThen(findReadable(catalog, uri, viewer), needsOfResource),
  ],
  ['resources/subscribe', (catalog, { uri }, viewer) => needsOfUri(catalog, uri, viewer)],
  [
    'subscriptions/listen',
    (catalog, { notifications }, viewer) => {
      const uris = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
      if (!Array.isArray(uris) || uris.length === 0) return NONE;
      return Promise.all(uris.map((uri) => needsOfUri(catalog, uri, viewer))).then((all) => all.flat());
    },
  ],
  [
    'completion/complete',
    (catalog, { ref }, viewer) => {
      if (!isObject(ref)) return NONE;
      if (ref['type'] === 'ref/prompt') return needsOfPrompt(catalog, ref['name'], viewer);
      const { uri } = ref;
      if (typeof uri !== 'string') return NONE;
      return andThen(findTemplate(catalog, uri, viewer), (found) => checked(found?.resource.options.scopes));
    },
  ],
] as const);

function checkedAtStart(what: string, scopes: unknown): void {
  try {
    checked(scopes);
  } catch (cause) {
    throw new DefinitionError('invalid-definition', `The ${what} cannot be used: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** Throws a `DefinitionError` for items with `scopes` on a server whose callers have none. */
export function createScopes({ of, catalog, viewer }: Engine, gate: Gatekeeper | undefined, guarded: boolean): Scopes {
  const firstWithScopes = (): string | undefined => {
    for (const { name, tool } of of.tools.allCompiled()) if (tool.options.scopes !== undefined) return `tool '${name}'`;
    for (const { name, prompt } of of.prompts.allCompiled())
      if (prompt.options.scopes !== undefined) return `prompt '${name}'`;
    for (const { name, resource } of of.resources.allCompiled())
      if (resource.options.scopes !== undefined) return `resource '${name}'`;
    return undefined;
  };
  for (const { name, tool } of of.tools.allCompiled())
    if (typeof tool.options.scopes !== 'function') checkedAtStart(`tool '${name}'`, tool.options.scopes);
  for (const { name, prompt } of of.prompts.allCompiled()) checkedAtStart(`prompt '${name}'`, prompt.options.scopes);
  for (const { name, resource } of of.resources.allCompiled())
    checkedAtStart(`resource '${name}'`, resource.options.scopes);
  const first = firstWithScopes();
  if (!guarded && first !== undefined)
    throw new DefinitionError(
      'scopes-without-auth',
      `The ${first} needs scopes, but the server is served over HTTP without \`auth\``,
    );

  const missing = (message: unknown, principal: Principal | undefined): NeededScopes => {
    if (!isObject(message)) return NONE;
    const needs = NEEDS.get(message['method'] as string);
    const params = message['params'];
    if (needs === undefined || !isObject(params)) return NONE;
    return andThen(needs(catalog, params, viewer({ principal })), (needed) =>
      needed.every((scope) => principal?.scopes?.includes(scope) === true) ? NONE : needed,
    );
  };
  const denial = (needed: readonly string[]): Denial | undefined =>
    needed.length === 0
      ? undefined
      : (gate?.insufficient(needed) ?? { status: 403, message: `These scopes are needed: ${needed.join(' ')}` });

  const generations = (): number => of.tools.generation + of.prompts.generation + of.resources.generation;
  // Items of providers may need scopes at any time.
  const always = of.providers.length > 0;
  let generation = -1;
  let inUse = always;
  return {
    get inUse() {
      const now = always ? generation : generations();
      if (now === generation) return inUse;
      generation = now;
      inUse = firstWithScopes() !== undefined;
      return inUse;
    },
    refuses(message, principal) {
      if (!Array.isArray(message)) return andThen(missing(message, principal), denial);
      return Promise.all(message.map((one) => missing(one, principal))).then((all) => denial([...new Set(all.flat())]));
    },
  };
}
