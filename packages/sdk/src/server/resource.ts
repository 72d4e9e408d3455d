import type { Annotations, Icon, ResourceContents } from '../protocol/content.ts';
import type { ResourceEntry, TemplateEntry } from '../protocol/entities.ts';
import type { Meta } from '../protocol/meta.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import type { KnownOptions } from '../protocol/known-options.ts';
import { parseTemplate, type UriTemplate } from '../schema/uri-template.ts';
import type { CallContext, Context } from './context.ts';
import type { Completer } from './completion.ts';
import { type CacheHint, checkCache } from './cache-hint.ts';
import { checkEntry, checkParts } from './check-options.ts';
import { publishedUriProblem } from './uri.ts';
import type { Visible } from './visibility.ts';

type Awaitable<T> = T | Promise<T>;

/** Expressions with these operators may be missing from a URI. */
type Optional = '#' | ';' | '?' | '&';
type Operator = Optional | '+' | '.' | '/';
type Named<Expression extends string> = Expression extends `${Optional}${infer Names}`
  ? Partial<Listed<Names>>
  : Expression extends `${Operator}${infer Names}`
    ? Listed<Names>
    : Listed<Expression>;
type Listed<Names extends string> = Names extends `${infer First},${infer Rest}`
  ? Listed<First> & Listed<Rest>
  : Names extends `${infer Name}*`
    ? { readonly [K in Name]: readonly string[] }
    : Names extends `${infer Name}:${string}`
      ? { readonly [K in Name]: string }
      : { readonly [K in Names]: string };

// The names are unknown here, and with an index signature every value could be `undefined`.
// oxlint-disable-next-line typescript/no-explicit-any -- see above
type AnyVariables = any;

/**
 * The variables of a template, by name, as percent-decoded strings. Exploded ones (`{/parts*}`) are lists; those of a query, a parameter or
 * a fragment may be missing. If the template is not a literal type, the type is `any`.
 */
export type VariablesOf<Template> = string extends Template
  ? AnyVariables
  : Template extends `${string}{${infer Expression}}${infer Rest}`
    ? Named<Expression> & VariablesOf<Rest>
    : unknown;

/**
 * The return value of a resource handler: text, bytes, a JSON value, or items made with `contents`. `undefined` means that the resource
 * does not exist.
 */
export type ResourceResult =
  | string
  | Uint8Array
  | ResourceContents
  | readonly ResourceContents[]
  | object
  | number
  | boolean
  | null
  | undefined;

/** A resource as returned by the `list` function of a template. */
export interface ListedResource {
  /** The URI. It matches the template. */
  readonly uri: string;
  /** The name of the resource. */
  readonly name: string;
  /** The name to show to people. Default: `name`. */
  readonly title?: string;
  /** What the resource is, for a model. */
  readonly description?: string;
  /** The media type, such as `text/markdown`. */
  readonly mimeType?: string;
  /** In bytes. */
  readonly size?: number;
  /** Hints for the client about the resource. */
  readonly annotations?: Annotations;
  /** Icons to show to people, at `https:` or `data:` URIs. */
  readonly icons?: readonly Icon[];
  /** Metadata of the resource, for programs that know the keys. */
  readonly _meta?: Meta;
}

/** The options of a resource. */
export interface ResourceOptions {
  /** The name of the resource. */
  readonly name: string;
  /** The name to show to people. Default: `name`. */
  readonly title?: string;
  /** What the resource is, for a model. */
  readonly description?: string;
  /** The media type, such as `text/markdown`. Default: `application/json` for JSON values, else none. */
  readonly mimeType?: string;
  /** In bytes, if known. */
  readonly size?: number;
  /** Hints for the client about the resource. */
  readonly annotations?: Annotations;
  /** Icons to show to people, at `https:` or `data:` URIs. */
  readonly icons?: readonly Icon[];
  /** Metadata of the resource, for programs that know the keys. */
  readonly _meta?: Meta;
  /** Which classes of callers may see and read it. Default: all. See `visibility` of the server. */
  readonly visible?: Visible;
  /** The OAuth scopes that the reader's token needs, over HTTP. See `scopes` of tools. */
  readonly scopes?: readonly string[];
  /** How long the content may be cached, and by whom. Default: not at all. */
  readonly cache?: CacheHint;
  /** For templates only: the resources that match the template, as far as they can be listed. Default: none. */
  readonly list?: (ctx: Context) => Awaitable<Iterable<ListedResource>>;
  /** For templates only: completers, by variable. */
  readonly complete?: Readonly<Record<string, Completer>>;
}

/** A resource or a template: options and handler. Its URI is the key under which it is added to a server. */
export interface Resource<V = AnyVariables> {
  /** Always `resource`. */
  readonly kind: 'resource';
  /** The options as they were given. */
  readonly options: ResourceOptions;
  /** The handler as it was given. */
  readonly handler: (variables: V, ctx: CallContext) => Awaitable<ResourceResult>;
  /** @internal Prepares it for use under a URI or template; throws if that is invalid. */
  readonly compile: (uri: string) => CompiledResource;
}

/** A resource or a template that is ready for use. */
export interface CompiledResource {
  /** The URI, or the text of the template. */
  readonly name: string;
  readonly resource: Resource;
  readonly template: UriTemplate | undefined;
  readonly entry: ResourceEntry | TemplateEntry;
}

/**
 * Makes a resource, or a template if its URI has `{variables}` (RFC 6570). Variables are percent-decoded: a handler that opens files has to
 * check where the path leads. Invalid options throw a `DefinitionError` when the resource is added to a server.
 *
 * @example
 * ```ts
 * import { resource, server } from 'tenon';
 *
 * const notes = new Map([['1', '# Shopping']]);
 * const app = server({
 *   name: 'notes',
 *   resources: {
 *     'config://app': resource({ name: 'config' }, () => ({ theme: 'dark' })),
 *     'note:///{id}': resource({ name: 'note', mimeType: 'text/markdown' }, ({ id }) => notes.get(id)),
 *   },
 * });
 * ```
 */
export function resource<V = AnyVariables>(
  options: ResourceOptions,
  handler: (variables: V, ctx: CallContext) => Awaitable<ResourceResult>,
): Resource<V> {
  const made: Resource<V> = { kind: 'resource', options, handler, compile: (uri) => compileResource(uri, made) };
  return made;
}

const OPTIONS: KnownOptions<ResourceOptions> = {
  name: 1,
  title: 1,
  description: 1,
  mimeType: 1,
  size: 1,
  annotations: 1,
  icons: 1,
  _meta: 1,
  visible: 1,
  scopes: 1,
  cache: 1,
  list: 1,
  complete: 1,
};

function compileResource(uri: string, resource: Resource): CompiledResource {
  const { options } = resource;
  checkParts(resource, OPTIONS);
  checkEntry(options);
  checkCache(options.cache);
  if (typeof options.name !== 'string') throw new TypeError('it needs a `name`');
  const template = /[{}]/.test(uri) ? parseTemplate(uri) : undefined;
  const problem = publishedUriProblem(uri, template !== undefined);
  if (problem !== undefined) throw new TypeError(problem);
  if (template === undefined && (options.list ?? options.complete) !== undefined) {
    throw new TypeError('`list` and `complete` are for templates: this URI has no {variables}');
  }
  for (const variable of Object.keys(options.complete ?? {})) {
    if (!template!.variables.includes(variable))
      throw new TypeError(`it completes '${variable}', which is not a variable of the template`);
  }
  return {
    name: uri,
    resource,
    template,
    entry: template === undefined ? resourceEntry({ ...options, uri }) : templateEntry(uri, resource),
  };
}

/** A resource as an entry of a list. */
export function resourceEntry({
  uri,
  name,
  title,
  description,
  mimeType,
  size,
  annotations,
  icons,
  _meta,
}: ListedResource): ResourceEntry {
  return withoutUndefined({
    uri,
    name,
    title,
    description,
    mimeType,
    size,
    annotations,
    icons: icons?.slice(),
    _meta,
  }) as ResourceEntry;
}

function templateEntry(uriTemplate: string, { options }: Resource): TemplateEntry {
  const { name, title, description, mimeType, annotations, icons, _meta } = options;
  return withoutUndefined({
    uriTemplate,
    name,
    title,
    description,
    mimeType,
    annotations,
    icons: icons?.slice(),
    _meta,
  }) as TemplateEntry;
}
