import type { Message, Notification, Request, Response } from '../message.ts';
import { isModern } from '../revisions.ts';
import { isObject } from '@tenon/values/is-object';
import type { Json } from '../words.ts';
import type { WireSchema } from './wire-schema.ts';

/** A definition that a part of a message must fit. */
export interface Measure {
  readonly definition: string;
  readonly value: unknown;
  /** Where the part is in the message. */
  readonly at: readonly string[];
}

/** What a message must fit, the most telling definition last. Methods the revision does not have are measured as JSON-RPC only. */
export function measuresOf(schema: WireSchema, message: Exclude<Message, { kind: 'malformed' }>): readonly Measure[] {
  switch (message.kind) {
    case 'request':
      return ofMethod('JSONRPCRequest', schema.requests[message.from].get(message.method), message);
    case 'notification':
      return ofMethod('JSONRPCNotification', schema.notifications[message.from].get(message.method), message);
    case 'response':
      return Object.hasOwn(message.value, 'error') ? ofError(schema, message) : ofResult(schema, message);
  }
}

function whole(definition: string, value: Json): Measure {
  return { definition, value, at: [] };
}

function ofMethod(
  envelope: string,
  definition: string | undefined,
  { value }: Request | Notification,
): readonly Measure[] {
  return definition === undefined ? [whole(envelope, value)] : [whole(envelope, value), whole(definition, value)];
}

function ofError(schema: WireSchema, { value, key }: Response): readonly Measure[] {
  const general = schema.has('JSONRPCErrorResponse') ? 'JSONRPCErrorResponse' : 'JSONRPCError';
  const special = schema.errors.get(isObject(value['error']) ? value['error']['code'] : undefined);
  // If the id of the request could not be read, there is none to send; a missing id in any other case has its own rule.
  const judged = key === undefined ? { ...value, id: 0 } : value;
  return special === undefined ? [whole(general, judged)] : [whole(general, judged), whole(special, judged)];
}

function ofResult(schema: WireSchema, response: Response): readonly Measure[] {
  const envelope = schema.has('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse';
  const outside = whole(envelope, response.value);
  const { result } = response.value;
  const definition = isObject(result) ? resultDefinition(schema, response, result) : undefined;
  return definition === undefined ? [outside] : [outside, { definition, value: result, at: ['result'] }];
}

const INPUT = 'InputRequiredResult';

function resultDefinition(schema: WireSchema, { request, revision }: Response, result: Json): string | undefined {
  if (request === undefined) return undefined;
  const definitions = schema.results.get(request.method);
  // Who receives an augmented request answers with a task, or ignores the wish.
  const task = isObject(request.params['task']) && isObject(result['task']) && schema.has('CreateTaskResult');
  if (definitions === undefined || task) return task ? 'CreateTaskResult' : undefined;
  if (!isModern(revision)) return definitions[0];
  const type = result['resultType'];
  if (type === 'input_required') return INPUT;
  // Other types are of extensions.
  if (typeof type === 'string' && type !== 'complete') return undefined;
  return definitions.find((definition) => definition !== INPUT);
}
