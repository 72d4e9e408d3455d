import { declares } from '../../protocol/capabilities.ts';
import type { Root } from '../../protocol/entities.ts';
import { CODE, ProtocolError, ToolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { sampledProblem, samplingProblem } from '../../wire/sampling-problem.ts';
import type { SampleParams, SampleResult } from '../../protocol/results.ts';
import { featuresOf } from '../../protocol/revision.ts';
import { adaptSchema, type AdaptedSchema } from '../../schema/adapt.ts';
import { toElicitationSchema } from '../../schema/elicitation.ts';
import { formatIssues } from '../../schema/issue.ts';
import type { Schema } from '../../schema/schema.ts';
import type { CallContext, TypedElicitResult } from '../context.ts';
import type { Asker } from './asker.ts';
import {
  capabilitiesFor,
  missingAbility,
  type ValidateAnswer,
  type Question,
  type ValidationResult,
} from './question.ts';

type QuestionMethods = Pick<CallContext, 'ask' | 'elicit' | 'visit' | 'sample' | 'roots'>;

/** The question methods of a call's context, implemented with its asker. */
export function createQuestionMethods(asker: Asker, request: RequestContext, callId: () => string): QuestionMethods {
  const askClient = async <T>(question: Question, validate: ValidateAnswer<T>): Promise<T> => {
    requireCapabilities(question, request);
    return asker.answer(question, validate);
  };
  const elicit = async <T>(name: string, message: string, schema: Schema): Promise<TypedElicitResult<T>> => {
    const form = formOf(schema);
    const params = { mode: 'form', message, requestedSchema: form.json };
    return askClient({ name, method: 'elicitation/create', params }, (answer) => validateForm<T>(form, name, answer));
  };
  return {
    elicit: elicit as QuestionMethods['elicit'],
    async ask(name, message, schema) {
      const answer = await elicit<never>(name, message, schema);
      if (answer.action === 'accept') return answer.content;
      throw new ToolError(
        answer.action === 'decline' ? `The user declined to answer: ${message}` : `The user cancelled: ${message}`,
      );
    },
    async visit(name, message, url) {
      if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
        throw new TypeError(`visit('${name}'): the URL must be http or https`);
      if (hasCredentials(new URL(url)))
        throw new TypeError(
          `visit('${name}'): the URL must not log in the user who opens it: it contains a user name, a password or a token`,
        );
      const params = withoutId({ mode: 'url', message, url, elicitationId: `${callId()}:${name}` }, request);
      const action = await askClient({ name, method: 'elicitation/create', params }, (answer) => ({
        value: actionOf(name, answer),
      }));
      return { action, complete: () => announceCompletion(request, params['elicitationId']) };
    },
    async sample(name, params) {
      const problem = samplingProblem(params as unknown as JsonObject);
      if (problem !== undefined) throw new TypeError(`sample('${name}'): ${problem}`);
      return askClient(
        { name, method: 'sampling/createMessage', params: withOfferedContext(params, request) },
        (answer) => validateSample(name, answer, params),
      );
    },
    async roots(name) {
      return askClient({ name, method: 'roots/list', params: {} }, (answer) => validateRoots(name, answer));
    },
  };
}

/** Query parameters whose values are credentials: whoever opens the URL is logged in. */
const CREDENTIALS = /^(?:access_token|id_token|refresh_token|auth_token|password|api_?key)$/i;

/** Does a URL contain credentials? The client, and anyone who sees the URL, may open it ("Elicitation", safe URL handling). */
function hasCredentials({ username, password, searchParams, hash }: URL): boolean {
  const names = [...searchParams.keys(), ...new URLSearchParams(hash.slice(1)).keys()];
  return username !== '' || password !== '' || names.some((name) => CREDENTIALS.test(name));
}

/** Tells the client that the user has finished on a page. */
function announceCompletion(request: RequestContext, elicitationId: unknown): void | Promise<void> {
  return elicitationId === undefined
    ? undefined
    : request.announce?.('notifications/elicitation/complete', { elicitationId });
}

/** Checks the client's capabilities before anything is asked: error -32021 where the era has it, else a tool error. */
function requireCapabilities({ name, method, params }: Question, request: RequestContext): void {
  const missing = missingAbility(request.capabilities, method, params);
  if (missing === undefined) return;
  const { elicitation, era } = featuresOf(request.revision);
  const known = elicitation !== 'none' || !missing.startsWith('elicitation');
  const text = !known
    ? `'${name}' cannot be asked: revision ${request.revision} has no elicitation`
    : era === 'legacy' && request.session === undefined
      ? `'${name}' cannot be asked in revision ${request.revision} without a session, and this server has none (\`sessions\` is false)`
      : `'${name}' cannot be asked: this client did not declare the capability '${missing}'`;
  if (era === 'legacy') throw new ToolError(text);
  throw new ProtocolError(CODE.missingCapability, text, { requiredCapabilities: capabilitiesFor(missing) });
}

function withoutId(
  { elicitationId, ...params }: { elicitationId: string } & JsonObject,
  request: RequestContext,
): JsonObject {
  return featuresOf(request.revision).elicitationId ? { ...params, elicitationId } : params;
}

/** `includeContext` of servers is sent only to clients that declared support for it (Sampling, Capabilities). */
function withOfferedContext(
  { includeContext, ...params }: SampleParams,
  { revision, capabilities }: RequestContext,
): JsonObject {
  const refused = featuresOf(revision).samplingTools && !declares(capabilities, 'sampling.context');
  const wanted = includeContext !== undefined && (!refused || includeContext === 'none');
  return wanted ? { ...params, includeContext } : params;
}

interface Form {
  readonly json: JsonObject;
  readonly adapted: AdaptedSchema;
}

// Handlers usually keep their schemas at module level, so each is translated once.
const FORMS = new WeakMap<object, Form>();

function formOf(schema: Schema): Form {
  const known = FORMS.get(schema);
  if (known !== undefined) return known;
  const adapted = adaptSchema(schema, 'input');
  const form = { json: toElicitationSchema(adapted.json) as JsonObject, adapted };
  FORMS.set(schema, form);
  return form;
}

function malformed(name: string, why: string): ProtocolError {
  return new ProtocolError(CODE.invalidParams, `The response to '${name}' is malformed: ${why}`);
}

function actionOf(name: string, answer: JsonObject): 'accept' | 'decline' | 'cancel' {
  const { action } = answer;
  if (action === 'accept' || action === 'decline' || action === 'cancel') return action;
  throw malformed(name, '"action" must be "accept", "decline" or "cancel"');
}

async function validateForm<T>(
  { adapted, json }: Form,
  name: string,
  answer: JsonObject,
): Promise<ValidationResult<TypedElicitResult<T>>> {
  const action = actionOf(name, answer);
  if (action !== 'accept') return { value: { action } };
  const content = answer['content'] ?? {};
  if (!isObject(content)) throw malformed(name, '"content" must be an object');
  const given = await adapted.check(content);
  // Some clients send `null` for a field that was left empty, which a form has no type for.
  const checked =
    'issues' in given && Object.values(content).includes(null)
      ? await adapted.check(withoutEmptyFields(content, json))
      : given;
  if ('issues' in checked) return { retryReason: `The last answer could not be used: ${formatIssues(checked.issues)}` };
  return { value: { action, content: checked.value as T } };
}

/** Leaves out fields that are null, but not those with a default, which the user did not accept: such a form is asked again. */
function withoutEmptyFields(content: JsonObject, { properties }: JsonObject): JsonObject {
  const fields = isObject(properties) ? properties : {};
  const hasDefault = (name: string): boolean => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return isObject(field) && field['default'] !== undefined;
  };
  return Object.fromEntries(Object.entries(content).filter(([name, value]) => value !== null || hasDefault(name)));
}

function validateSample(name: string, answer: JsonObject, params: SampleParams): ValidationResult<SampleResult> {
  const { role, content, model } = answer;
  if (role !== 'user' && role !== 'assistant') throw malformed(name, '"role" must be "user" or "assistant"');
  if (typeof model !== 'string') throw malformed(name, '"model" must be a string');
  const blocks = Array.isArray(content) ? content : [content];
  if (!blocks.every((block) => isObject(block) && typeof block['type'] === 'string'))
    throw malformed(name, '"content" must be a content block or a list of them');
  const problem = sampledProblem(params as unknown as JsonObject, answer);
  if (problem !== undefined) throw malformed(name, problem);
  return { value: answer as unknown as SampleResult };
}

function validateRoots(name: string, answer: JsonObject): ValidationResult<Root[]> {
  const { roots } = answer;
  if (!Array.isArray(roots) || !roots.every((root) => isObject(root) && typeof root['uri'] === 'string'))
    throw malformed(name, '"roots" must be a list of objects with a "uri"');
  return { value: roots as Root[] };
}
