import type { Annotations, Icon, ResourceContents } from '../protocol/content.ts';
import type { Meta } from '../protocol/meta.ts';
import type { CacheScope } from '../protocol/results.ts';
import type { CallContext, Context } from './context.ts';
import type { Completer } from './completion.ts';
import type { Visible } from './visibility.ts';

type Awaitable<T> = T | Promise<T>;

type Operator = '+' | '#' | '.' | '/' | ';' | '?' | '&';
type Bare<Expression extends string> = Expression extends `${Operator}${infer Names}` ? Names : Expression;
type Names<List extends string> = List extends `${infer First},${infer Rest}`
  ? Names<First> & Names<Rest>
  : List extends `${infer Name}*`
    ? { readonly [K in Name]: string | readonly string[] }
    : List extends `${infer Name}:${string}`
      ? { readonly [K in Name]: string }
      : { readonly [K in List]: string };

/**
 * The variables of a template, by name: texts, percent-decoded; one that explodes (`{/parts*}`) may be a list.
 * A template that is not a literal type has any variables.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- the names are not known, and with an index signature every value could be undefined
export type VariablesOf<Template> = string extends Template ? any : Template extends `${string}{${infer Expression}}${infer Rest}` ? Names<Bare<Expression>> & VariablesOf<Rest> : unknown;

/** What a resource may give: text, bytes, a JSON value, or items made with `contents`. Nothing means that it does not exist. */
export type Readable = string | Uint8Array | ResourceContents | readonly ResourceContents[] | object | number | boolean | null | undefined;

/** How long and by whom a result may be kept (2026-07-28). */
export interface CacheHint {
  /** Milliseconds. Default 0. */
  readonly ttlMs?: number;
  /** Default `private`. */
  readonly scope?: CacheScope;
}

/** A resource as a template's `list` names it. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Bytes. */
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly meta?: Meta;
}

/** Everything about a resource but its handler. */
export interface ResourceOptions {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Bytes, if known. */
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly meta?: Meta;
  readonly visible?: Visible;
  readonly cache?: CacheHint;
  /** A template only: the resources it stands for, as far as they can be listed. */
  readonly list?: (ctx: Context) => Awaitable<Iterable<ListedResource>>;
  /** A template only: suggestions, by variable. */
  readonly complete?: Readonly<Record<string, Completer>>;
}

/** A resource or a template: options and handler. It gets its URI where it is put. */
// oxlint-disable-next-line typescript/no-explicit-any -- see VariablesOf
export interface Resource<V = any> {
  readonly kind: 'resource';
  readonly options: ResourceOptions;
  readonly handler: (variables: V, ctx: CallContext) => Awaitable<Readable>;
}

/**
 * Makes a resource, or a template if the URI it is put under has `{variables}` (RFC 6570). Variables are
 * percent-decoded: a handler that opens files has to check where the path leads.
 *
 * @example
 * ```ts
 * resources: {
 *   'config://app': resource({ name: 'config' }, () => ({ theme: 'dark' })),
 *   'note:///{id}': resource({ name: 'note' }, ({ id }) => notes.get(id)),
 * }
 * ```
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see VariablesOf
export const resource = <V = any>(options: ResourceOptions, handler: (variables: V, ctx: CallContext) => Awaitable<Readable>): Resource<V> => ({
  kind: 'resource',
  options,
  handler,
});
