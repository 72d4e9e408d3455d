import { declares } from '../protocol/capabilities.ts';
import type { Implementation } from '../protocol/entities.ts';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { metaOf } from '../protocol/meta.ts';
import type { ElicitResult, RootsResult, SampleParams, SampleResult } from '../protocol/results.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { applyDefaults } from '../schema/elicitation-answer.ts';
import { encodeAnswer } from '../wire/input.ts';
import { type Asked, Refusal } from './asked.ts';
import { checkedContent } from './form.ts';
import type { Answer, AskContext, FormQuestion, Question, RootsOption, SampleContext, Settings } from './options.ts';
import { checkedRoots } from './roots.ts';
import { samplingProblem } from './sampling.ts';

/** What an answer depends on beside the question. */
export interface Circumstances {
  readonly revision: Revision;
  readonly server: Implementation | undefined;
  readonly signal: AbortSignal;
  readonly settings: Settings;
  readonly roots: RootsOption | undefined;
}

/** The answer to a question, in the words of the revision. Throws a `Refusal` for one that may not be asked, and what the handler threw. */
export const answerTo = async (asked: Asked, circumstances: Circumstances): Promise<JsonObject> => {
  const { revision, server, signal, settings, roots } = circumstances;
  const context = { signal, server, _meta: metaOf(asked.params), call: asked.call };
  const answer = async (): Promise<ElicitResult | RootsResult | SampleResult> => {
    if (asked.method === 'elicitation/create') return elicit(questionOf(asked, revision, settings), context, settings);
    if (asked.method === 'sampling/createMessage') return sample(asked.params, context, settings);
    if (asked.method === 'roots/list') return listRoots(roots, context, settings);
    throw new Refusal(CODE.methodNotFound, `Unknown method ${shown(asked.method, 60)}`);
  };
  return encodeAnswer(asked.method, await answer(), revision);
};

/** Reads an elicitation. A missing mode means a form. */
const questionOf = ({ params, name }: Asked, revision: Revision, { capabilities }: Settings): Question => {
  if (capabilities.elicitation === undefined)
    throw new Refusal(CODE.methodNotFound, 'This client takes no elicitation');
  const { mode = 'form', message, requestedSchema, url, elicitationId } = params;
  if (mode !== 'form' && mode !== 'url')
    throw new Refusal(CODE.invalidParams, `Unknown elicitation mode '${shown(mode, 40)}'`);
  if (!declares(capabilities, mode === 'form' ? 'elicitation' : 'elicitation.url')) {
    throw new Refusal(CODE.invalidParams, `This client takes no elicitation in ${mode} mode`);
  }
  if (typeof message !== 'string') throw new Refusal(CODE.invalidParams, 'An elicitation needs a "message"');
  if (mode === 'form') {
    if (!isObject(requestedSchema))
      throw new Refusal(CODE.invalidParams, 'A form elicitation needs a "requestedSchema"');
    return { mode, name, message, schema: requestedSchema, defaults: defaultsOf(requestedSchema, revision) };
  }
  if (typeof url !== 'string' || !URL.canParse(url))
    throw new Refusal(CODE.invalidParams, 'A URL elicitation needs a valid "url"');
  return { mode, name, message, url, elicitationId: typeof elicitationId === 'string' ? elicitationId : undefined };
};

/** An answer may hold lists since 2025-11-25. A server that declares one as a default in an older revision does not get it back unasked. */
const defaultsOf = (schema: JsonObject, revision: Revision): FormQuestion['defaults'] => {
  const defaults = Object.entries(applyDefaults(schema, {}));
  const lists = featuresOf(revision).elicitation === 'full';
  return Object.fromEntries(defaults.filter(([, value]) => lists || !Array.isArray(value)));
};

const elicit = async (question: Question, context: AskContext, settings: Settings): Promise<ElicitResult> => {
  const scripted = await scriptedAnswer(question, settings);
  const result = scripted ?? (await settings.elicit!(question, context));
  const action: unknown = result?.action;
  if (action === 'decline' || action === 'cancel') return result;
  if (action !== 'accept')
    throw new TypeError(
      `An elicitation is answered with { action: 'accept' | 'decline' | 'cancel' }, got ${shown(JSON.stringify(result))}`,
    );
  if (question.mode === 'url') return { action };
  return { ...result, content: checkedContent(question, result.content) };
};

const scriptedAnswer = async (question: Question, { answers, elicit }: Settings): Promise<ElicitResult | undefined> => {
  if (answers === undefined) return undefined;
  const key = [question.name, question.message, '*'].find((key) => key !== undefined && Object.hasOwn(answers, key));
  if (key === undefined) {
    if (elicit !== undefined) return undefined;
    throw new Error(`There is no answer to the question '${shown(question.name ?? question.message)}' in \`answers\``);
  }
  const scripted = answers[key]!;
  const answer: Answer = typeof scripted === 'function' ? await scripted(question) : scripted;
  return typeof answer === 'string' ? { action: answer } : { action: 'accept', content: { ...answer } };
};

const sample = async (params: JsonObject, context: AskContext, settings: Settings): Promise<SampleResult> => {
  const { sample, capabilities } = settings;
  if (sample === undefined) throw new Refusal(CODE.methodNotFound, 'This client does no sampling');
  if (
    (params['tools'] !== undefined || params['toolChoice'] !== undefined) &&
    !declares(capabilities, 'sampling.tools')
  ) {
    throw new Refusal(CODE.invalidParams, 'This client does no sampling with tools');
  }
  const problem = samplingProblem(params);
  if (problem !== undefined) throw new Refusal(CODE.invalidParams, problem);
  // Context nobody agreed on counts as none.
  const request = declares(capabilities, 'sampling.context') ? params : { ...params, includeContext: 'none' };
  const reject = (reason = 'User rejected sampling request'): never => {
    throw new ProtocolError(CODE.rejected, reason);
  };
  const given: SampleContext = { ...context, reject };
  return sample(request as unknown as SampleParams, given);
};

const listRoots = async (
  roots: RootsOption | undefined,
  context: AskContext,
  { capabilities }: Settings,
): Promise<RootsResult> => {
  if (roots === undefined || capabilities.roots === undefined)
    throw new Refusal(CODE.methodNotFound, 'This client has no roots');
  return { roots: checkedRoots(typeof roots === 'function' ? await roots(context) : roots) };
};
