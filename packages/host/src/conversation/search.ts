import { createToolIndex } from '../registry/search.ts';
import type { ToolIndex } from '../registry/search.ts';
import type { HostTool } from '../registry/toolbox.ts';
import type { ToolSearch } from './types.ts';

/** A search over the current tools. The index is built on first use, and again when the tools have changed. */
export function searchOver(tools: () => readonly HostTool[]): ToolSearch {
  let indexed: readonly HostTool[] = [];
  let index: ToolIndex | undefined;
  return (query, limit) => {
    const now = tools();
    if (!index || !isSame(now, indexed)) {
      indexed = [...now];
      index = createToolIndex(indexed);
    }
    return index.search(query, limit).map(({ tool }) => tool);
  };
}

function isSame(a: readonly HostTool[], b: readonly HostTool[]): boolean {
  return (
    a.length === b.length && a.every((tool, index) => tool.name === b[index]?.name && tool.entry === b[index]?.entry)
  );
}
