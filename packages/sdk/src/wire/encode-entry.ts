import type { ToolEntry } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { ListMethod, Lists } from '../protocol/results.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { type Kind, restrict } from './fields.ts';
import { withObjectProperties, wrapSchema, wrapsOutput } from './output.ts';

const ENTRIES: { readonly [M in ListMethod]: Kind } = {
  'tools/list': 'tool',
  'resources/list': 'resource',
  'resources/templates/list': 'template',
  'prompts/list': 'prompt',
};

/** An entry of a list, as `revision` defines it. */
export function encodeEntry<M extends ListMethod>(method: M, entry: Lists[M]['entry'], revision: Revision): JsonObject {
  const encoded = restrict(ENTRIES[method], entry, revision);
  return method === 'tools/list' ? encodeTool(entry as ToolEntry, encoded, revision) : encoded;
}

/** Adapts a tool without unknown members: its title moves to another place if necessary, its schemas get the required form. */
function encodeTool(tool: ToolEntry, encoded: JsonObject, revision: Revision): JsonObject {
  const features = featuresOf(revision);
  if (features.structured === 'any') return encoded;
  const out: JsonObject = { ...encoded, inputSchema: withObjectProperties(tool.inputSchema) };
  if (!features.title && features.toolAnnotations && tool.title !== undefined) {
    out['annotations'] = { title: tool.title, ...tool.annotations };
  }
  if (features.structured === 'object' && tool.outputSchema !== undefined) {
    out['outputSchema'] = wrapsOutput(tool.outputSchema, revision)
      ? wrapSchema(tool.outputSchema)
      : withObjectProperties(tool.outputSchema);
  }
  return out;
}
