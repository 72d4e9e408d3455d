import { CODE, ProtocolError } from '../../protocol/errors.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { shown } from '../../protocol/text.ts';

/** A member of params that has to be an object of strings; a missing one is empty. */
export function stringsParam(params: JsonObject, member: string): Record<string, string> {
  const value = params[member] ?? {};
  if (!isObject(value)) throw new ProtocolError(CODE.invalidParams, `"${member}" must be an object`);
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string')
      throw new ProtocolError(CODE.invalidParams, `"${member}.${shown(name, 60)}" must be a string`);
  }
  return value as Record<string, string>;
}
