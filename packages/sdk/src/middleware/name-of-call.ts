import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';

/** The name of the tool or prompt, or the URI of the resource, in the params of a call; undefined for other methods. */
export function nameOfCall(method: string, params: JsonObject): string | undefined {
  const named = method === 'completion/complete' && isObject(params['ref']) ? params['ref'] : params;
  const member = METHODS[method];
  const name = member === undefined ? undefined : (named[member] ?? named['uri']);
  return typeof name === 'string' ? name : undefined;
}

/** The parameter that contains the name of the target, by method. */
const METHODS: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  'tools/call': 'name',
  'prompts/get': 'name',
  'completion/complete': 'name',
  'resources/read': 'uri',
  'resources/subscribe': 'uri',
  'resources/unsubscribe': 'uri',
};
