import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { CheckResult } from '../../schema/adapt.ts';

/** A member of params that has to be a string. */
export function stringParam(params: JsonObject, member: string): string {
  const value = params[member];
  if (typeof value !== 'string') throw new ProtocolError(CODE.invalidParams, `"${member}" must be a string`);
  return value;
}

/** The check for tools and prompts without arguments. */
export function noArguments(args: JsonObject, kind: 'tool' | 'prompt'): CheckResult {
  const [unexpected] = Object.keys(args);
  return unexpected === undefined
    ? { value: args }
    : { issues: [{ path: [unexpected], message: `is not an argument: this ${kind} takes none` }] };
}
