import {
  APP_TYPE,
  APPS_EXTENSION,
  type AppCsp,
  type AppPageMeta,
  type AppToolMeta,
  type AppVisibility,
} from '../protocol/apps.ts';
import { DefinitionError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { checkOptions, type KnownOptions } from '../protocol/known-options.ts';
import { shown } from '../protocol/text.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import type { CacheHint } from './cache-hint.ts';
import { unusable } from './check-options.ts';
import { contents } from './content.ts';
import type { CallContext, ClientView } from './context.ts';
import type { Provider } from './provider.ts';
import { type Resource, resource } from './resource.ts';
import type { Tool } from './tool.ts';
import { publishedUriProblem } from './uri.ts';

type Awaitable<T> = T | Promise<T>;

/** The options of an app. */
export interface AppOptions extends AppPageMeta {
  /** The name of its resource. */
  readonly name: string;
  /** The name to show to people. Default: `name`. */
  readonly title?: string;
  /** A description of the page. */
  readonly description?: string;
  /** How long its page may be cached, and by whom. Default: not at all. */
  readonly cache?: CacheHint;
}

/** An app: a page that hosts show beside the result of a tool. A plain value, for `apps` and `shownBy`. */
export interface App {
  /** Always `app`. */
  readonly kind: 'app';
  /** The URI of its page. */
  readonly uri: string;
  /** @internal The resource. */
  readonly resource: Resource;
}

/** A whole page, with all its scripts and styles in it. */
const PAGE = /^\ufeff?\s*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<!doctype html[\s>]/i;
const OPTIONS: KnownOptions<AppOptions> = {
  name: 1,
  title: 1,
  description: 1,
  cache: 1,
  csp: 1,
  permissions: 1,
  domain: 1,
  prefersBorder: 1,
};
const CSP: KnownOptions<AppCsp> = { connectDomains: 1, resourceDomains: 1, frameDomains: 1, baseUriDomains: 1 };
const PERMISSIONS: Readonly<Record<string, 1>> = { camera: 1, microphone: 1, geolocation: 1, clipboardWrite: 1 };
/** A scheme and a host, where the first part of the host may be `*`: nothing that could end a directive of a policy. */
const ORIGIN = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9.-]{1,253}(?::\d{1,5})?$/i;

/**
 * Makes an app: an HTML page, which begins with `<!doctype html>`, or a function that returns it. Throws a `DefinitionError` if
 * it is invalid.
 *
 * @example
 * ```ts
 * import { app, apps, shownBy } from 'tenon/apps';
 * import { server, tool } from 'tenon';
 *
 * const clock = app('ui://time/clock', { name: 'Clock' }, '<!doctype html><title>Clock</title><p>…</p>');
 * const time = server({
 *   name: 'time',
 *   tools: { now: tool({ description: 'The time', _meta: shownBy(clock) }, () => new Date().toISOString()) },
 *   providers: [apps([clock])],
 * });
 * ```
 */
export function app(uri: string, options: AppOptions, html: string | ((ctx: CallContext) => Awaitable<string>)): App {
  try {
    checkApp(uri, options, html);
  } catch (cause) {
    throw unusable('app', String(uri), cause);
  }
  const { name, title, description, cache, csp, permissions, domain, prefersBorder } = options;
  const ui = withoutUndefined({ csp, permissions, domain, prefersBorder });
  const _meta = Object.keys(ui).length === 0 ? undefined : { ui };
  return {
    kind: 'app',
    uri,
    resource: resource(
      withoutUndefined({ name, title, description, cache, mimeType: APP_TYPE, _meta }),
      async (_, ctx) => {
        const page = typeof html === 'string' ? html : await html(ctx);
        checkPage(page);
        // Hosts read it from the content first, and only then from the list.
        return withoutUndefined({ ...contents(uri, page, { mimeType: APP_TYPE }), _meta });
      },
    ),
  };
}

/** Options of `shownBy`. */
export interface ShownByOptions {
  /** Who may call the tool: `['app']` hides it from the model. Default: both. */
  readonly visibility?: readonly AppVisibility[];
}

/**
 * The `_meta` of a tool whose results an app shows. Without an app: the `_meta` of a tool that only restricts its callers.
 *
 * @example
 * ```ts
 * import { app, shownBy } from 'tenon/apps';
 * import { tool } from 'tenon';
 *
 * const clock = app('ui://time/clock', { name: 'Clock' }, '<!doctype html><title>Clock</title>');
 * const now = tool({ _meta: shownBy(clock) }, () => new Date().toISOString());
 * // Only the page of the app may call it.
 * const setAlarm = tool({ _meta: shownBy(clock, { visibility: ['app'] }) }, () => 'Set');
 * ```
 */
export function shownBy(by: App | undefined, { visibility }: ShownByOptions = {}): { readonly ui: AppToolMeta } {
  return { ui: withoutUndefined({ resourceUri: by?.uri, visibility }) };
}

/**
 * Adds apps to a server, and declares the extension `io.modelcontextprotocol/ui`. Throws a `DefinitionError` when the server is
 * made, if one of its tools names a page that does not exist, or has invalid metadata of apps.
 *
 * @example
 * ```ts
 * import { app, apps } from 'tenon/apps';
 * import { server } from 'tenon';
 *
 * const clock = app('ui://time/clock', { name: 'Clock' }, '<!doctype html><title>Clock</title>');
 * const time = server({ name: 'time', providers: [apps([clock])] });
 * ```
 */
export function apps(list: readonly App[]): Provider {
  const pages = new Map<string, Resource>();
  for (const one of list) {
    if (one?.kind !== 'app')
      throw new DefinitionError('invalid-definition', 'Make each app with app(uri, options, html)');
    if (pages.has(one.uri)) throw new DefinitionError('invalid-definition', `Two apps have the URI ${shown(one.uri)}`);
    pages.set(one.uri, one.resource);
  }
  return {
    resources: { list: () => pages, get: (uri) => pages.get(uri) },
    extension: { id: APPS_EXTENSION, settings: {} },
    start(_, { tools }) {
      for (const [name, tool] of tools) checkTool(name, tool, pages);
    },
  };
}

/**
 * Does the client show apps? A tool can return a more detailed text to a client that does not.
 *
 * @example
 * ```ts
 * import { showsApps } from 'tenon/apps';
 * import { tool } from 'tenon';
 *
 * const report = tool({}, (_, { client }) => (showsApps(client) ? '12 rows' : '12 rows: 3, 5, 8, …'));
 * ```
 */
export function showsApps({ capabilities }: Pick<ClientView, 'capabilities'>): boolean {
  const settings = capabilities.extensions?.[APPS_EXTENSION];
  const types = isObject(settings) ? settings['mimeTypes'] : undefined;
  return Array.isArray(types) && types.includes(APP_TYPE);
}

function checkApp(uri: string, options: AppOptions, html: unknown): void {
  if (typeof uri !== 'string' || !uri.startsWith('ui://')) throw new TypeError('the URI of an app begins with ui://');
  const problem = publishedUriProblem(uri, false);
  if (problem !== undefined) throw new TypeError(problem);
  checkOptions(options, OPTIONS);
  const { csp = {}, permissions = {}, domain, prefersBorder } = options;
  checkOptions(csp, CSP);
  checkOptions(permissions, PERMISSIONS);
  for (const origin of Object.values(csp).flat())
    if (typeof origin !== 'string' || !ORIGIN.test(origin))
      throw new TypeError(`a domain in \`csp\` is an origin, such as https://api.example.com, not ${shown(origin)}`);
  for (const [name, value] of Object.entries(permissions))
    if (!isObject(value)) throw new TypeError(`the permission ${name} is written as an empty object`);
  if (domain !== undefined && typeof domain !== 'string') throw new TypeError('`domain` is a text');
  if (prefersBorder !== undefined && typeof prefersBorder !== 'boolean')
    throw new TypeError('`prefersBorder` is true or false');
  if (typeof html !== 'function') checkPage(html);
}

function checkPage(html: unknown): void {
  if (typeof html !== 'string' || !PAGE.test(html))
    throw new TypeError('the page of an app is HTML that begins with <!doctype html>');
}

function checkTool(name: string, { options }: Tool, pages: ReadonlyMap<string, unknown>): void {
  const ui: unknown = options._meta?.['ui'];
  const problem = ui === undefined ? undefined : isObject(ui) ? toolProblem(ui, pages) : '`_meta.ui` is not an object';
  if (problem !== undefined) throw unusable('tool', name, new TypeError(problem));
}

function toolProblem(
  { resourceUri, visibility, ...others }: JsonObject,
  pages: ReadonlyMap<string, unknown>,
): string | undefined {
  const [other] = Object.keys(others);
  if (other !== undefined) return `\`_meta.ui.${other}\` does not apply to a tool: it belongs to the app`;
  if (resourceUri !== undefined && (typeof resourceUri !== 'string' || !pages.has(resourceUri)))
    return `it is shown by ${shown(resourceUri)}, which is not an app of the server`;
  if (visibility === undefined) return undefined;
  const isKnown = Array.isArray(visibility) && visibility.every((one) => one === 'model' || one === 'app');
  return isKnown ? undefined : "`visibility` has 'model', 'app' or both";
}
