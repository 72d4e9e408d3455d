import type { Lists } from '../protocol/results.ts';
import type { Context } from './context.ts';
import { type CompiledResource, resourceEntry } from './resource.ts';

type ResourceEntry = Lists['resources/list']['entry'];

/** The entries of `resources/list`: these resources, and what the `list` functions of the templates among them return. */
export async function listResources(
  resources: readonly CompiledResource[],
  context: () => Context,
): Promise<ResourceEntry[]> {
  const found = new Map<string, ResourceEntry>();
  for (const { name, template, entry, resource } of resources) {
    if (template === undefined) {
      found.set(name, entry as ResourceEntry);
      continue;
    }
    for (const item of (await resource.options.list?.(context())) ?? []) {
      if (typeof item?.uri !== 'string' || typeof item.name !== 'string')
        throw new TypeError(`\`list\` of the template '${name}' returned an item without uri or name`);
      if (!found.has(item.uri)) found.set(item.uri, resourceEntry(item));
    }
  }
  return [...found.values()];
}
