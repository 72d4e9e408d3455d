import { randomUUID } from 'node:crypto';
import type { CallItem, ReadItem } from './pending/item.ts';
import type { HostTool } from './registry/toolbox.ts';

/** The question whether a tool may be called. */
export const callItem = (
  tool: HostTool,
  args: Readonly<Record<string, unknown>>,
  by: CallItem['by'],
  isTrusted: boolean,
): CallItem => ({
  kind: 'call',
  id: randomUUID(),
  at: Date.now(),
  server: tool.server,
  tool: tool.name,
  // The order that the specification gives for what people are shown (`BaseMetadata` of the schema).
  title: tool.entry.title ?? tool.entry.annotations?.title ?? tool.entry.name,
  arguments: args,
  by,
  warnings:
    isTrusted || tool.entry.annotations?.readOnlyHint !== true
      ? []
      : ['The server calls it read-only; it is not trusted to say so.'],
});

/** The question whether a resource may be read. */
export const readItem = (server: string, uri: string, by: ReadItem['by']): ReadItem => ({
  kind: 'read',
  id: randomUUID(),
  at: Date.now(),
  server,
  uri,
  by,
  warnings: [],
});
