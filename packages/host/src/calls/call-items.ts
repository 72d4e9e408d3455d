import { randomUUID } from 'node:crypto';
import type { CallToolResult } from 'tenon/client';
import { isObject } from '@tenon/values/is-object';
import type { CallItem, ReadItem } from '../pending/item.ts';
import type { HostTool } from '../registry/toolbox.ts';
import { frozenCopy } from '../values/frozen-copy.ts';
import { messageOf } from '../values/message-of.ts';
import { errorResult } from './call-messages.ts';

/** The item that asks a person whether a tool may be called. */
export function callItem(
  tool: HostTool,
  args: Readonly<Record<string, unknown>>,
  by: CallItem['by'],
  isTrusted: boolean,
): CallItem {
  return {
    kind: 'call',
    id: randomUUID(),
    at: Date.now(),
    server: tool.server,
    tool: tool.name,
    // The precedence of display names in the specification (`BaseMetadata` of the schema).
    title: tool.entry.title ?? tool.entry.annotations?.title ?? tool.entry.name,
    arguments: args,
    by,
    warnings:
      isTrusted || tool.entry.annotations?.readOnlyHint !== true
        ? []
        : ['The server declares it read-only, but the server is not trusted.'],
  };
}

/** The item that asks a person whether a resource may be read. */
export function readItem(server: string, uri: string, by: ReadItem['by']): ReadItem {
  return {
    kind: 'read',
    id: randomUUID(),
    at: Date.now(),
    server,
    uri,
    by,
    warnings: [],
  };
}

/** The arguments that are shown and sent: a copy that cannot be changed meanwhile. If the arguments are invalid, an error result. */
export function ownArguments(
  name: string,
  given: unknown,
): { readonly args: Record<string, unknown> } | CallToolResult {
  try {
    const args = frozenCopy(given);
    return isObject(args) ? { args } : errorResult(`The arguments of ${name} must be an object.`);
  } catch (error) {
    return errorResult(`The arguments of ${name} cannot be written as JSON: ${messageOf(error)}`);
  }
}
