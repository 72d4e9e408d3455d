import type { ListKind } from '../../../../src/api/views.ts';
import { compact, jsonProblem } from '../../json/exact.ts';
import type { Offer } from '../../store/lists.ts';

// The request for an item, as text: the arguments are sent as typed.

/** A request before it is sent. */
export interface Draft {
  readonly method: string;
  /** A JSON object, as text. */
  readonly params: string;
}

export const METHODS: Readonly<Record<ListKind, string>> = {
  tools: 'tools/call',
  prompts: 'prompts/get',
  resources: 'resources/read',
  templates: 'resources/read',
  tasks: 'tasks/get',
};

/** The methods for a task. */
export type TaskMethod = 'tasks/get' | 'tasks/result' | 'tasks/cancel';

export function taskRequest(method: TaskMethod, id: string): Draft {
  return {
    method,
    params: `{"taskId":${JSON.stringify(id)}}`,
  };
}

/**
 * The request for an item with these arguments, a JSON text. Undefined: the text is not JSON. For a template, `uri` is its
 * expansion. `asTask`: call the tool as a task (2025-11-25).
 */
export function requestOf(
  offer: Pick<Offer, 'kind' | 'id'>,
  args: string,
  uri = offer.id,
  asTask = false,
): Draft | undefined {
  const { kind, id } = offer;
  if (kind === 'tasks') return taskRequest('tasks/get', id);
  const method = METHODS[kind];
  if (kind === 'resources' || kind === 'templates') return { method, params: `{"uri":${JSON.stringify(uri)}}` };
  if (jsonProblem(args) !== undefined) return undefined;
  return { method, params: `{"name":${JSON.stringify(id)},"arguments":${compact(args)}${asTask ? ',"task":{}' : ''}}` };
}

/** A whole message for the editor of raw frames. Its id is unlike those of the client, so that the two can be distinguished. */
export function frameOf({ method, params }: Draft, id: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${params}}`;
}

/** The values of the form of a prompt or a template, as a JSON text. */
export function argumentsText(values: ReadonlyMap<string, string>): string {
  return JSON.stringify(Object.fromEntries(values));
}

/** The same, parsed. Values that are not strings are left out. */
export function argumentValues(text: string): ReadonlyMap<string, string> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return new Map();
    return new Map(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}
