import type { Change } from './changes.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { MethodHandler } from './own-methods.ts';
import type { Prompt } from './prompt.ts';
import type { Resource } from './resource.ts';
import type { Tool } from './tool.ts';
import type { Viewer } from './visibility.ts';

type Awaitable<T> = T | Promise<T>;

/**
 * A source of items of one kind. `list` and `get` serve one viewer and have to agree: an item that is not listed for a viewer must not be
 * found for that viewer either.
 */
export interface Source<T> {
  /** The items that this viewer may see, by name, each name once. */
  list(viewer: Viewer): Awaitable<Iterable<readonly [name: string, item: T]>>;
  /** The item with this name, if this viewer may see it; else undefined. */
  get(name: string, viewer: Viewer): Awaitable<T | undefined>;
}

/** The server's own items, as its providers see them. */
export interface OwnItems {
  /** Its tools. */
  readonly tools: Iterable<readonly [name: string, tool: Tool]>;
}

/**
 * An extension of the protocol as a server implements it. It is declared, and its methods exist, only in revisions that have extensions
 * (from 2026-07-28).
 */
export interface Extension {
  /** Its identifier, such as `com.example/search`. */
  readonly id: string;
  /** The settings to declare; `{}` if it has none. */
  readonly settings: JsonObject;
  /** The methods that it adds, by name. */
  readonly methods?: Readonly<Record<string, MethodHandler>>;
}

/**
 * Provides tools, resources and prompts from another place: a table, a tenant's data, another server. The names of resources are their URIs
 * or templates. Providers are asked in order, after the server's own items; the first one that has a name wins. An invalid item is left out
 * and logged.
 *
 * @example
 * ```ts
 * import { type Provider, server, tool } from 'tenon';
 *
 * const reports = new Map([['sales', '3 rows']]);
 * const toTool = (rows: string) => tool({}, () => rows);
 *
 * const provider: Provider = {
 *   tools: {
 *     list: () => [...reports].map(([name, rows]) => [name, toTool(rows)] as const),
 *     get(name) {
 *       const rows = reports.get(name);
 *       return rows === undefined ? undefined : toTool(rows);
 *     },
 *   },
 * };
 * const app = server({ name: 'reports', version: '1.0.0', providers: [provider] });
 * ```
 */
export interface Provider {
  /** The tools of the provider. */
  readonly tools?: Source<Tool>;
  /** The resources and templates of the provider. */
  readonly resources?: Source<Resource>;
  /** The prompts of the provider. */
  readonly prompts?: Source<Prompt>;
  /** Whether some of its tools run as tasks. Without it, tasks are offered only if the server has such tools of its own. Default false. */
  readonly tasks?: boolean;
  /** The extension of the protocol that the provider implements. */
  readonly extension?: Extension;
  /** Called once when the server is made, with a function that announces changes, and the server's own items. */
  readonly start?: (announce: (change: Change) => void, own: OwnItems) => void;
}
