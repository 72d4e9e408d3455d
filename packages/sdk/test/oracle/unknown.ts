// The bundle has no JSON Schema of 2024-11-05. That revision is 2025-03-26 without its additions, so its schema is made here by removing
// those additions. Source: the specification's pages of both revisions and the "Key Changes" page of 2025-03-26
// (/specification/2025-03-26/changelog).

import { isObject, type Schema } from './bundle.ts';

/** An addition of 2025-03-26: a description, and how to remove it from the definitions. Throws if it is not there. */
export interface Addition {
  readonly what: string;
  remove(definitions: Schema): void;
}

export const unknownIn20241105: readonly Addition[] = [
  { what: 'audio in a tool result', remove: (all) => dropBranch(all, 'CallToolResult.content.items', 'AudioContent') },
  { what: 'audio in a prompt message', remove: (all) => dropBranch(all, 'PromptMessage.content', 'AudioContent') },
  { what: 'audio in a sampling message', remove: (all) => dropBranch(all, 'SamplingMessage.content', 'AudioContent') },
  {
    what: 'audio in a sampling result',
    remove: (all) => dropBranch(all, 'CreateMessageResult.content', 'AudioContent'),
  },
  { what: 'tool annotations', remove: (all) => dropProperty(all, 'Tool', 'annotations') },
  { what: 'the completions capability', remove: (all) => dropProperty(all, 'ServerCapabilities', 'completions') },
  {
    what: 'the message of a progress notification',
    remove: (all) => dropProperty(all, 'ProgressNotification.params', 'message'),
  },
  { what: 'a batch of requests', remove: (all) => dropDefinition(all, 'JSONRPCBatchRequest') },
  { what: 'a batch of responses', remove: (all) => dropDefinition(all, 'JSONRPCBatchResponse') },
];

/** `Name.property.items`: a definition, then its properties or array items. */
function nodeAt(definitions: Schema, path: string): Schema {
  const [name = '', ...steps] = path.split('.');
  let node = definitions[name];
  for (const step of steps) {
    if (!isObject(node)) break;
    node = step === 'items' ? node['items'] : isObject(node['properties']) ? node['properties'][step] : undefined;
  }
  if (!isObject(node)) throw new Error(`the schema of 2025-03-26 has no ${path}`);
  return node;
}

function dropBranch(definitions: Schema, path: string, name: string): void {
  const node = nodeAt(definitions, path);
  const before = Array.isArray(node['anyOf']) ? (node['anyOf'] as unknown[]) : [];
  const after = before.filter((branch) => !(isObject(branch) && String(branch['$ref']).endsWith(`/${name}`)));
  if (after.length !== before.length - 1) throw new Error(`the schema of 2025-03-26 has no ${name} in ${path}`);
  node['anyOf'] = after;
}

function dropProperty(definitions: Schema, path: string, name: string): void {
  const properties = nodeAt(definitions, path)['properties'];
  if (!isObject(properties) || !Object.hasOwn(properties, name)) {
    throw new Error(`the schema of 2025-03-26 has no ${name} in ${path}`);
  }
  delete properties[name];
}

function dropDefinition(definitions: Schema, name: string): void {
  if (!Object.hasOwn(definitions, name)) throw new Error(`the schema of 2025-03-26 has no ${name}`);
  delete definitions[name];
}
