import { declares } from '../protocol/capabilities.ts';
import type { Implementation } from '../protocol/entities.ts';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { metaOf } from '../protocol/meta.ts';
import type { ElicitResult, RootsResult, SampleParams, SampleResult } from '../protocol/results.ts';
import type { AskedQuestion } from '../protocol/question-step.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { applyDefaults } from '../schema/elicitation-answer.ts';
import { encodeAnswer } from '../wire/input-answer.ts';
import type { AnswerQuestion } from './middleware.ts';
import { type ServerQuestion, RefusedQuestion } from './server-question.ts';
import { checkedContent } from './form.ts';
import type { Answer, AskContext, FormQuestion, Question, RootsOption, SampleContext, Settings } from './options.ts';
import { checkedRoots } from './roots.ts';
import { sampledProblem, samplingProblem } from '../wire/sampling-problem.ts';

/** The context of an answer, besides the question. */
export interface AnswerContext {
  readonly revision: Revision;
  readonly server: Implementation | undefined;
  readonly signal: AbortSignal;
  readonly settings: Settings;
  readonly roots: RootsOption | undefined;
}

/** Answers a question, in the format of the revision. Throws a `RefusedQuestion` for one that is not allowed, and any error of the handler. */
export async function answerQuestion(question: ServerQuestion, answerContext: AnswerContext): Promise<JsonObject> {
  const { revision, server, signal, settings, roots } = answerContext;
  // The server may have cancelled the question while the code for answers was loaded.
  signal.throwIfAborted();
  const context = { signal, server, _meta: metaOf(question.params), call: question.call };
  const answer = async (): Promise<ElicitResult | RootsResult | SampleResult> => {
    if (question.method === 'elicitation/create')
      return elicit(elicitationOf(question, revision, settings), context, settings);
    if (question.method === 'sampling/createMessage') return sample(question.params, context, settings);
    if (question.method === 'roots/list') return listRoots(roots, context, settings);
    throw new RefusedQuestion(CODE.methodNotFound, `Unknown method ${shown(question.method, 60)}`);
  };
  const run = async (): Promise<JsonObject> => encodeAnswer(question.method, await answer(), revision);
  return through(settings, { method: question.method, _meta: context._meta, revision }, run);
}

/** Runs middleware around an answer. Questions that are part of a result are answered within the call, and so within its middleware. */
function through({ use = [] }: Settings, question: AskedQuestion, run: AnswerQuestion): Promise<JsonObject> {
  if (featuresOf(question.revision).era !== 'legacy') return run();
  return use.reduceRight<AnswerQuestion>((next, one) => {
    const around = typeof one === 'function' ? one.aroundAnswer : undefined;
    return around === undefined ? next : () => around(question, next);
  }, run)();
}

/** Reads an elicitation. Without a mode it is a form. */
function elicitationOf({ params, name }: ServerQuestion, revision: Revision, { capabilities }: Settings): Question {
  if (capabilities.elicitation === undefined)
    throw new RefusedQuestion(CODE.methodNotFound, 'This client does not support elicitation');
  const { mode = 'form', message, requestedSchema, url, elicitationId } = params;
  if (mode !== 'form' && mode !== 'url')
    throw new RefusedQuestion(CODE.invalidParams, `Unknown elicitation mode '${shown(mode, 40)}'`);
  if (!declares(capabilities, mode === 'form' ? 'elicitation' : 'elicitation.url')) {
    throw new RefusedQuestion(CODE.invalidParams, `This client does not support elicitation in ${mode} mode`);
  }
  if (typeof message !== 'string') throw new RefusedQuestion(CODE.invalidParams, 'An elicitation needs a "message"');
  if (mode === 'form') {
    if (!isObject(requestedSchema))
      throw new RefusedQuestion(CODE.invalidParams, 'A form elicitation needs a "requestedSchema"');
    return { mode, name, message, schema: requestedSchema, defaults: defaultsOf(requestedSchema, revision) };
  }
  if (typeof url !== 'string' || !URL.canParse(url))
    throw new RefusedQuestion(CODE.invalidParams, 'A URL elicitation needs a valid "url"');
  return { mode, name, message, url, elicitationId: typeof elicitationId === 'string' ? elicitationId : undefined };
}

/** Lists are valid answers since 2025-11-25. In older revisions, defaults that are lists are left out. */
function defaultsOf(schema: JsonObject, revision: Revision): FormQuestion['defaults'] {
  const defaults = Object.entries(applyDefaults(schema, {}));
  const lists = featuresOf(revision).elicitation === 'full';
  return Object.fromEntries(defaults.filter(([, value]) => lists || !Array.isArray(value)));
}

async function elicit(question: Question, context: AskContext, settings: Settings): Promise<ElicitResult> {
  const scripted = await scriptedAnswer(question, settings);
  const result = scripted ?? (await settings.elicit!(question, context));
  const action: unknown = result?.action;
  if (action === 'decline' || action === 'cancel') return result;
  if (action !== 'accept')
    throw new TypeError(
      `An elicitation handler must return { action: 'accept' | 'decline' | 'cancel' }, got ${shown(JSON.stringify(result))}`,
    );
  if (question.mode === 'url') return { action };
  return { ...result, content: checkedContent(question, result.content) };
}

async function scriptedAnswer(question: Question, { answers, elicit }: Settings): Promise<ElicitResult | undefined> {
  if (answers === undefined) return undefined;
  const key = [question.name, question.message, '*'].find((key) => key !== undefined && Object.hasOwn(answers, key));
  if (key === undefined) {
    if (elicit !== undefined) return undefined;
    throw new Error(`There is no answer to the question '${shown(question.name ?? question.message)}' in \`answers\``);
  }
  const scripted = answers[key]!;
  const answer: Answer = typeof scripted === 'function' ? await scripted(question) : scripted;
  return typeof answer === 'string' ? { action: answer } : { action: 'accept', content: { ...answer } };
}

async function sample(params: JsonObject, context: AskContext, settings: Settings): Promise<SampleResult> {
  const { sample, capabilities } = settings;
  if (sample === undefined) throw new RefusedQuestion(CODE.methodNotFound, 'This client does not support sampling');
  if (
    (params['tools'] !== undefined || params['toolChoice'] !== undefined) &&
    !declares(capabilities, 'sampling.tools')
  ) {
    throw new RefusedQuestion(CODE.invalidParams, 'This client does not support sampling with tools');
  }
  const problem = samplingProblem(params);
  if (problem !== undefined) throw new RefusedQuestion(CODE.invalidParams, problem);
  // Without the capability for context, the server must not get any context.
  const request = declares(capabilities, 'sampling.context') ? params : { ...params, includeContext: 'none' };
  const reject = (reason = 'User rejected sampling request'): never => {
    throw new ProtocolError(CODE.rejected, reason);
  };
  const given: SampleContext = { ...context, reject };
  const result = await sample(request as unknown as SampleParams, given);
  const misuse = sampledProblem(params, result as unknown as JsonObject);
  if (misuse !== undefined)
    throw new TypeError(`The result of the sampling handler does not fit the request: ${misuse}`);
  return result;
}

async function listRoots(
  roots: RootsOption | undefined,
  context: AskContext,
  { capabilities }: Settings,
): Promise<RootsResult> {
  if (roots === undefined || capabilities.roots === undefined)
    throw new RefusedQuestion(CODE.methodNotFound, 'This client has no roots');
  return { roots: checkedRoots(typeof roots === 'function' ? await roots(context) : roots) };
}
