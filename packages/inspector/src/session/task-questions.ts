import type { AskContext, ElicitResult, Question, SampleResult } from 'tenon/client';
import { isObject } from '@tenon/values/is-object';
import type { Asker, Inbox } from './inbox.ts';

// The questions of a task of 2026-07-28 are in its state. The client itself answers only questions in the result of a call.

type Json = Readonly<Record<string, unknown>>;
type SampleParams = Parameters<Inbox['sample']>[1];

/** The initial values of a form. */
function defaultsOf(schema: Json): Json {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) =>
      isObject(field) && field['default'] !== undefined ? [[name, field['default']]] : [],
    ),
  );
}

function questionOf(name: string, params: Json): Question | undefined {
  const { message, mode, url, requestedSchema } = params;
  if (typeof message !== 'string') return undefined;
  if (mode === 'url')
    return typeof url === 'string' ? { mode, name, message, url, elicitationId: undefined } : undefined;
  if (!isObject(requestedSchema)) return undefined;
  const defaults = defaultsOf(requestedSchema) as Extract<Question, { mode: 'form' }>['defaults'];
  return { mode: 'form', name, message, schema: requestedSchema, defaults };
}

type Answer = ElicitResult | SampleResult | { readonly roots: readonly unknown[] };

/** Asks the user one question of a task. Undefined: it is not a valid question. */
export function askForTask(
  inbox: Inbox,
  asker: Asker,
  [name, request]: readonly [name: string, request: unknown],
  folders: readonly string[],
  signal: AbortSignal,
): Promise<Answer> | undefined {
  const { method, params = {} } = isObject(request) ? request : {};
  if (!isObject(params)) return undefined;
  const context: AskContext = { signal, server: undefined, _meta: {}, call: undefined };
  if (method === 'elicitation/create') {
    const question = questionOf(name, params);
    return question === undefined ? undefined : inbox.elicit(asker, question, context);
  }
  if (method === 'sampling/createMessage' && Array.isArray(params['messages'])) {
    const reject = (reason?: string): never => {
      throw new Error(reason ?? 'The person rejected the request');
    };
    return inbox.sample(asker, params as unknown as SampleParams, { ...context, reject });
  }
  if (method === 'roots/list') return inbox.roots(asker, folders, false, context).then((roots): Answer => ({ roots }));
  return undefined;
}
