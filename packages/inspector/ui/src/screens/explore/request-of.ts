import type { ListKind } from '../../../../src/api/views.ts';
import { compact, jsonProblem } from '../../json/exact.ts';
import type { Offer } from '../../store/lists.ts';

// What is sent for something that a server offers, as text: the arguments go out as they were typed.

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

/** What can be asked about a task. */
export type TaskMethod = 'tasks/get' | 'tasks/result' | 'tasks/cancel';

export function taskRequest(method: TaskMethod, id: string): Draft {
  return {
    method,
    params: `{"taskId":${JSON.stringify(id)}}`,
  };
}

/**
 * The request for an offer with these arguments, a text of JSON. Undefined: the text is no JSON. Of a template, `uri` is what it comes to.
 * `asTask`: a tool is to answer with a task (2025-11-25).
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

/** A whole message for the editor of raw frames. Its id is unlike those of the client, so that both are told apart. */
export function frameOf({ method, params }: Draft, id: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${params}}`;
}

/** What the form of a prompt or a template holds, as a text of JSON. */
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
