import type { Change } from './changes.ts';
import type { Prompt } from './prompt.ts';
import type { Resource } from './resource.ts';
import type { Tool } from './tool.ts';
import type { Viewer } from './visibility.ts';

type Awaitable<T> = T | Promise<T>;

/**
 * Where things of one kind come from. `list` and `get` answer for one viewer and have to agree: what is not
 * listed for somebody is not found by them either.
 */
export interface Source<T> {
  list(viewer: Viewer): Awaitable<Iterable<readonly [name: string, item: T]>>;
  get(name: string, viewer: Viewer): Awaitable<T | undefined>;
}

/**
 * Tools, resources and prompts from elsewhere: a table, a tenant's data, another server. Resources are named by
 * their URI or template. Asked in order, after what the server itself holds; the first that has a name wins.
 *
 * @example
 * ```ts
 * const fromTable: Provider = {
 *   tools: { list: () => rows.map((row) => [row.name, toTool(row)]), get: (name) => toTool(rows.find((row) => row.name === name)) },
 * };
 * server({ name: 'reports', version: '1.0.0', providers: [fromTable] });
 * ```
 */
export interface Provider {
  readonly tools?: Source<Tool>;
  readonly resources?: Source<Resource>;
  readonly prompts?: Source<Prompt>;
  /** Told once where to announce changes; returns nothing. */
  readonly start?: (announce: (change: Change) => void) => void;
}
