import { isObject } from '@tenon/values/is-object';
import type { Message, Response, Notification, Request } from '../message.ts';
import { isModern, type Revision } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { shown, type Json } from '../words.ts';
import { type Misfit, readWireSchema, type WireSchema, type WireSchemas } from './wire-schema.ts';

/** The fixed properties of the rule, without its schemas. */
export const WIRE_RULE = {
  id: 'wire-schema',
  title: 'A message does not fit the official schema of its revision',
  blame: ['server', 'client'],
  severity: ['error', 'info'],
  why: 'Whoever sent it. If another rule already explains the fault of the message, this one is only an info.',
  page: 'schema',
} as const satisfies Omit<Rule, 'watch'>;

/** The most misfits listed in a message. */
const MAX_LISTED = 3;
/** The most kinds of misfits remembered that other rules explain. */
const MAX_KNOWN = 1_000;

/**
 * The rule that validates every message against the official schema of its revision. A schema is read when the first message of
 * its revision comes. `measured` is called for each message that was validated.
 *
 * @example createDiagnosis(onFinding, { rules: [...RULES, wireSchemaRule(schemas)] })
 */
export function wireSchemaRule(schemas: WireSchemas, measured: () => void = () => {}): Rule {
  const read = new Map<Revision, WireSchema>();
  const schemaOf = (revision: Revision): WireSchema => {
    const known = read.get(revision);
    if (known !== undefined) return known;
    const schema = readWireSchema(schemas(revision));
    read.set(revision, schema);
    return schema;
  };

  return {
    ...WIRE_RULE,
    watch(report, session, accused) {
      /**
       * The rule that explains a kind of misfit. A rule that reports each fault only once would leave later misfits unexplained.
       */
      const explained = new Map<string, string>();

      const look = (message: Exclude<Message, { kind: 'malformed' }>): void => {
        const { revision, from, n, redacted } = message;
        // Redacted values do not fit a schema.
        if (revision === undefined || redacted) return;
        if (message.kind === 'response' && !session.provenModern && isOlder(message)) return;
        measured();
        const schema = schemaOf(revision);
        let found: readonly [Measure, readonly Misfit[]] | undefined;
        for (const measure of measuresOf(schema, message)) {
          const misfits = schema.check(measure.value, measure.definition);
          if (misfits.length > 0) found = [measure, misfits];
        }
        if (found === undefined) return;
        const [{ definition, at }, misfits] = found;
        const kind = `${from} ${definition} ${misfits.map(({ path, message }) => `${kindOfPlace(path)} ${message}`).join()}`;
        const by = accused(n, from) ?? explained.get(kind);
        if (by !== undefined && explained.size < MAX_KNOWN) explained.set(kind, by);
        const subject = methodOf(message);
        report({
          severity: by === undefined ? 'error' : 'info',
          blame: from,
          message:
            `${sentence(message)} does not fit ${definition} of ${revision}: ${misfitsText(at, misfits)}` +
            (by === undefined ? '' : `. The rule ${by} accuses it, too`),
          fix: `Send a value that fits ${definition}. Members that it does not name are allowed; those it names must have the given form.`,
          subject: subject === undefined ? undefined : shown(subject),
          evidence: message.kind === 'response' && message.request !== undefined ? [message.request.n, n] : [n],
          revision,
          page: `schema#${definition.toLowerCase()}`,
        });
      };
      return { request: look, notification: look, response: look };
    },
  };
}

/** Returns whether the answer may be from a server that does not support 2026-07-28. */
function isOlder({ request, value }: Response): boolean {
  return isModern(request?.revision) && isObject(value['result']) && value['result']['resultType'] === undefined;
}

function methodOf(message: Exclude<Message, { kind: 'malformed' }>): string | undefined {
  return message.kind === 'response' ? message.request?.method : message.method;
}

/** `The request tools/call of the client`. */
function sentence(message: Exclude<Message, { kind: 'malformed' }>): string {
  const { kind, from } = message;
  const method = shown(methodOf(message) ?? '');
  if (kind !== 'response') return `The ${kind} ${method} of the ${from}`;
  const what = Object.hasOwn(message.value, 'error') ? 'error' : 'result';
  return method === '' ? `An answer of the ${from} (${what})` : `The ${what} of the ${from} for ${method}`;
}

/** `/result/content/0 must be an object`. */
function misfitsText(at: readonly string[], misfits: readonly Misfit[]): string {
  const some = misfits.slice(0, MAX_LISTED).map(({ path, message }) => {
    const pointer = [...at, ...path].map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`);
    return `${pointer.length === 0 ? 'it' : shown(pointer.join(''), 200)} ${shown(message, 200)}`;
  });
  const more = misfits.length - some.length;
  return some.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** A path without the indexes of arrays. */
function kindOfPlace(path: readonly (string | number)[]): string {
  return path.map((step) => (typeof step === 'number' ? '*' : step)).join('/');
}

/** A definition that a part of a message must fit. */
interface Measure {
  readonly definition: string;
  readonly value: unknown;
  /** The path of the part in the message. */
  readonly at: readonly string[];
}

/**
 * The definitions that a message must fit, the most specific last. Methods that the revision does not have are only validated as
 * JSON-RPC.
 */
function measuresOf(schema: WireSchema, message: Exclude<Message, { kind: 'malformed' }>): readonly Measure[] {
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
  // An answer to a request whose id could not be read has no id. A rule of its own covers other missing ids.
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

/** Results of 2026-07-28 that do not depend on the method, by their `resultType`. */
const SPECIAL: ReadonlyMap<unknown, string> = new Map([
  ['input_required', 'InputRequiredResult'],
  ['task', 'CreateTaskResult'],
]);
const SPECIAL_NAMES: ReadonlySet<string> = new Set(SPECIAL.values());

function resultDefinition(schema: WireSchema, { request, revision }: Response, result: Json): string | undefined {
  if (request === undefined) return undefined;
  const definitions = schema.results.get(request.method);
  // The receiver of a request for a task answers with a task, or ignores that.
  const task = isObject(request.params['task']) && isObject(result['task']) && schema.has('CreateTaskResult');
  if (definitions === undefined || task) return task ? 'CreateTaskResult' : undefined;
  if (!isModern(revision)) return definitions[0];
  const type = result['resultType'];
  const special = SPECIAL.get(type);
  if (special !== undefined) return special;
  // Other types belong to other extensions.
  if (typeof type === 'string' && type !== 'complete') return undefined;
  return definitions.find((definition) => !SPECIAL_NAMES.has(definition));
}
