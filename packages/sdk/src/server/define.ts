import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { Icon } from '../protocol/content.ts';
import { type Contracted, type PromptArguments, SERVER } from '../protocol/contract.ts';
import type { Implementation } from '../protocol/entities.ts';
import { DefinitionError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { checkOptions, type KnownOptions } from '../protocol/known-options.ts';
import { METHOD_NAMES } from '../protocol/methods.ts';
import { checkUse, type Use } from '../protocol/middleware.ts';
import { shown } from '../protocol/text.ts';
import { type CacheHint, checkCache } from './cache-hint.ts';
import { type Changes, type ChangingList, createChanges } from './changes.ts';
import { checkEntry, unusable } from './check-options.ts';
import type { MethodHandler, NotificationHandler } from './own-methods.ts';
import type { Middleware } from './middleware.ts';
import type { CompiledPrompt, Prompt } from './prompt.ts';
import type { Provider } from './provider.ts';
import { type CompilingRegistry, createRegistry, type Registry } from './registry.ts';
import type { CompiledResource, Resource, VariablesOf } from './resource.ts';
import type { CompiledTool, Tool } from './tool.ts';
import type { Visibility, Visible } from './visibility.ts';

/** The parts and settings of a server. */
export interface ServerOptions<
  Tools extends Record<string, Tool> = Record<string, Tool>,
  Resources extends Record<string, unknown> = Record<string, Resource>,
  Prompts extends Record<string, Prompt> = Record<string, Prompt>,
  Methods extends Record<string, MethodHandler> = Record<string, MethodHandler>,
  Notifications extends Record<string, NotificationHandler> = Record<string, NotificationHandler>,
> {
  /** Shown to people and written to logs; for display only. */
  readonly name: string;
  /** The version, in any form. Default `0.0.0`. */
  readonly version?: string;
  /** The name to show to people. Default: `name`. */
  readonly title?: string;
  /** What the server does, for people. */
  readonly description?: string;
  /** The URL of its web page. */
  readonly websiteUrl?: string;
  /** Icons to show to people, at `https:` or `data:` URIs. */
  readonly icons?: readonly Icon[];
  /** For the model: how to use the server. Default: none. */
  readonly instructions?: string;
  /** The tools by name: 1 to 128 letters, digits, `_`, `-` or `.`. */
  readonly tools?: Tools;
  /** By URI, or by template (RFC 6570). */
  readonly resources?: { readonly [Uri in keyof Resources]: Resource<VariablesOf<Uri>> };
  /** The prompts by name. */
  readonly prompts?: Prompts;
  /** More tools, resources and prompts, from other places. The server's own come first. */
  readonly providers?: readonly Provider[];
  /** Sorts callers into classes, to which `visible` of a tool, resource or prompt refers. Default: all callers see everything. */
  readonly visibility?: Visibility;
  /** The maximum number of entries in one page of a list. Default 1,000. */
  readonly pageSize?: number;
  /** How long lists may be cached, and by whom. Default: not at all. */
  readonly cache?: CacheHint;
  /** Methods of your own, by name: letters, digits, `_`, `-`, `.` and `/`, such as `acme/search`. A plain function, or `method(…)`. */
  readonly methods?: Methods;
  /**
   * Handlers of notifications that clients send: `notifications/initialized`, when a client is ready (up to 2025-11-25),
   * `notifications/roots/list_changed`, and those of your own. A plain function, or `notification(…)`.
   */
  readonly notifications?: Notifications;
  /** Features outside the specification that the server has, with their settings, by name. Default: none. */
  readonly experimental?: JsonObject;
  /** Extensions of the protocol that the server supports, with their settings, by identifier. Default: none. */
  readonly extensions?: JsonObject;
}

/** A server: a value that is independent of transports. Serve it, connect to it, or pass it around. */
export interface Server<
  Tools extends Record<string, Tool> = Record<string, Tool>,
  Resources extends Record<string, unknown> = Record<string, unknown>,
  Prompts extends Record<string, Prompt> = Record<string, Prompt>,
  Methods extends Record<string, MethodHandler> = Record<string, MethodHandler>,
  Notifications extends Record<string, NotificationHandler> = Record<string, NotificationHandler>,
> extends Contracted<{
  readonly tools: { readonly [Name in keyof Tools & string]: TypesOf<Tools[Name]> };
  readonly prompts: { readonly [Name in keyof Prompts & string]: PromptArgumentsOf<Prompts[Name]> };
  readonly templates: {
    readonly [Uri in keyof Resources & string as TemplateOf<Uri>]: keyof VariablesOf<Uri> & string;
  };
  readonly methods: { readonly [Name in keyof Methods & string]: MethodTypesOf<Methods[Name]> };
  readonly notifications: {
    readonly [Name in keyof Notifications & string]: ParamsOf<Notifications[Name]>;
  };
}> {
  /** Internals for this package. They have no stable shape. */
  readonly [SERVER]: Internals;
  /** The name of the server. */
  readonly name: string;
  /** The version of the server. */
  readonly version: string;
  /** The server's own tools, which may change while it runs. Those of providers are not among them. */
  readonly tools: Registry<Tool>;
  /** The server's own resources and templates, by URI or template, which may change while it runs. */
  readonly resources: Registry<Resource>;
  /** The server's own prompts, which may change while it runs. */
  readonly prompts: Registry<Prompt>;
  /**
   * Notifies clients that a resource changed, by its URI, or that a list did: `app.changed({ list: 'resources' })`. Lists that change through
   * `app.tools`, `app.resources` and `app.prompts` are announced by themselves; this is for templates whose `list` has other entries now.
   */
  changed(what: string | { readonly list: ChangingList }): void;
  /**
   * Puts middleware around all calls, or around those of a method: `app.use(log, { 'tools/call': limit })`. The first one is outermost.
   * Throws a `TypeError` for anything that is not middleware, and for a method that does not exist.
   */
  use(...middleware: readonly Use<Middleware>[]): void;
}

// A server without tools of its own may get some from a provider, or later: their types are unknown.
type TypesOf<T> = [T] extends [never]
  ? { readonly input: unknown; readonly output: unknown }
  : T extends Tool<infer Input, infer Output>
    ? { readonly input: Input; readonly output: Output }
    : never;

type PromptArgumentsOf<P> = [P] extends [never]
  ? PromptArguments
  : P extends Prompt<infer Arguments extends PromptArguments>
    ? Arguments
    : PromptArguments;

// The types of a plain function are unknown.
type MethodTypesOf<H> =
  H extends MethodHandler<infer Params, infer Result> ? { readonly params: Params; readonly result: Result } : never;
type ParamsOf<H> = H extends NotificationHandler<infer Params> ? Params : never;

/** The URI itself if it is a template. */
type TemplateOf<Uri extends string> = string extends Uri ? Uri : Uri extends `${string}{${string}` ? Uri : never;

/** The parts of a server that the engine uses. */
export interface Internals {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly tools: CompilingRegistry<Tool, CompiledTool>;
  readonly resources: CompilingRegistry<Resource, CompiledResource>;
  readonly prompts: CompilingRegistry<Prompt, CompiledPrompt>;
  readonly providers: readonly Provider[];
  readonly offers: Readonly<Record<ChangingList, boolean>>;
  readonly visibility: Visibility | undefined;
  readonly pageSize: number;
  readonly cache: CacheHint;
  readonly methods: ReadonlyMap<string, MethodHandler>;
  /** Those of `methods` that belong to extensions. */
  readonly extensionMethods: ReadonlySet<string>;
  readonly notifications: ReadonlyMap<string, NotificationHandler>;
  /** The capabilities that the author declares. */
  readonly capabilities: Pick<ServerCapabilities, 'experimental' | 'extensions'>;
  readonly changes: Changes;
  /** The middleware that was passed to `use`. */
  readonly middleware: Use<Middleware>[];
}

/**
 * Makes a server of tools, resources and prompts. Throws a `DefinitionError` for parts that cannot work and for unknown options, so that no
 * call fails because of them.
 *
 * @example
 * ```ts
 * import { server, tool } from 'tenon';
 * import { z } from 'zod';
 *
 * const app = server({
 *   name: 'math',
 *   version: '1.0.0',
 *   tools: {
 *     add: tool({ input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`),
 *   },
 * });
 * ```
 */
export function server<
  const Tools extends Record<string, Tool> = Record<string, never>,
  const Resources extends Record<string, unknown> = Record<string, never>,
  const Prompts extends Record<string, Prompt> = Record<string, never>,
  const Methods extends Record<string, MethodHandler> = Record<string, MethodHandler>,
  const Notifications extends Record<string, NotificationHandler> = Record<string, NotificationHandler>,
>(
  options: ServerOptions<Tools, Resources, Prompts, Methods, Notifications>,
): Server<Tools, Resources, Prompts, Methods, Notifications> {
  const internals = build(options as ServerOptions);
  const { tools, resources, prompts, changes, info } = internals;
  return {
    [SERVER]: internals,
    name: info.name,
    version: info.version,
    tools,
    resources,
    prompts,
    changed: (what) => changes.announce(typeof what === 'string' ? { uri: what } : what),
    use(...middleware) {
      checkUse(middleware, (method) => METHOD_NAMES.has(method) || internals.methods.has(method));
      internals.middleware.push(...middleware);
    },
  };
}

function build(options: ServerOptions): Internals {
  if (typeof options?.name !== 'string' || options.name === '')
    throw new DefinitionError('no-name', 'A server needs a name');
  const { pageSize = 1_000, providers = [], experimental } = options;
  let { extensions } = options;
  const extensionMethods = new Set<string>();
  let methods: Map<string, MethodHandler>;
  let notifications: Internals['notifications'];
  try {
    checkOptions(options, OPTIONS);
    methods = handlersOf(options.methods);
    for (const { extension } of providers) {
      if (extension === undefined) continue;
      extensions = { ...extensions, [extension.id]: extension.settings };
      for (const [name, handler] of handlersOf(extension.methods)) {
        if (methods.has(name)) throw new TypeError(`two of its parts answer '${name}'`);
        methods.set(name, handler);
        extensionMethods.add(name);
      }
    }
    notifications = handlersOf(options.notifications, HANDLED);
    checkEntry({ icons: options.icons });
    checkCache(options.cache);
    if (!Number.isInteger(pageSize) || pageSize < 1) throw new TypeError('pageSize must be a positive integer');
  } catch (cause) {
    throw unusable('server', options.name, cause);
  }
  const changes = createChanges();
  const changed = (list: ChangingList) => (): void => changes.announce({ list });
  /** Without `visibility` every caller is in the class '', so `visible` could never match. */
  const check = ({ options: { visible } }: { readonly options: { readonly visible?: Visible } }): void => {
    if (options.visibility === undefined && Array.isArray(visible) && !visible.includes(''))
      throw new TypeError('no caller could see it: its `visible` names classes, but the server has no `visibility`');
  };
  const internals: Internals = {
    info: infoOf(options),
    instructions: options.instructions,
    tools: createRegistry<CompiledTool, Tool>('tool', options.tools, changed('tools'), check),
    resources: createRegistry<CompiledResource, Resource>('resource', options.resources, changed('resources'), check),
    prompts: createRegistry<CompiledPrompt, Prompt>('prompt', options.prompts, changed('prompts'), check),
    providers,
    offers: {
      tools: options.tools !== undefined || providers.some((provider) => provider.tools),
      resources: options.resources !== undefined || providers.some((provider) => provider.resources),
      prompts: options.prompts !== undefined || providers.some((provider) => provider.prompts),
    },
    visibility: options.visibility,
    pageSize,
    cache: options.cache ?? {},
    methods,
    extensionMethods,
    notifications,
    capabilities: { experimental, extensions },
    changes,
    middleware: [],
  };
  for (const provider of providers) provider.start?.(changes.announce, internals);
  return internals;
}

const OWN_NAME = /^[\w./-]{1,128}$/;
/** Notifications of the protocol that a server may act on. */
const HANDLED = ['notifications/initialized', 'notifications/roots/list_changed'];

/** The author's handlers by name. Throws for names that belong to the protocol. */
function handlersOf<H>(given: Readonly<Record<string, H>> = {}, handled: readonly string[] = []): Map<string, H> {
  const handlers = new Map(Object.entries(given));
  for (const [name, handler] of handlers) {
    if (!OWN_NAME.test(name) || (METHOD_NAMES.has(name) && !handled.includes(name)))
      throw new TypeError(
        `'${shown(name)}' belongs to the protocol, or has other signs than letters, digits and "_-./"`,
      );
    if (typeof handler !== 'function') throw new TypeError(`'${name}' needs a function`);
  }
  return handlers;
}

const OPTIONS: KnownOptions<ServerOptions> = {
  name: 1,
  version: 1,
  title: 1,
  description: 1,
  websiteUrl: 1,
  icons: 1,
  instructions: 1,
  tools: 1,
  resources: 1,
  prompts: 1,
  providers: 1,
  visibility: 1,
  pageSize: 1,
  cache: 1,
  methods: 1,
  notifications: 1,
  experimental: 1,
  extensions: 1,
};

function infoOf({ name, version = '0.0.0', title, description, websiteUrl, icons }: ServerOptions): Implementation {
  return {
    name,
    version,
    title,
    description,
    websiteUrl,
    icons: icons && [...icons],
  };
}
