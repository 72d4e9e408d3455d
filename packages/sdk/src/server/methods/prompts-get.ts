import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import { andThen, type Maybe, settle } from '../../protocol/maybe.ts';
import type { GetPromptResult, PromptMessage } from '../../protocol/results.ts';
import { shown } from '../../protocol/text.ts';
import type { CheckResult } from '../../schema/adapt.ts';
import { formatIssues } from '../../schema/issue.ts';
import { encodePromptResult } from '../../wire/encode-results.ts';
import { type Outcome, runHandler } from '../run-handler.ts';
import { isContent } from '../content.ts';
import type { Engine, RawResult } from '../engine.ts';
import type { CompiledPrompt } from '../prompt.ts';
import { handlerFailure } from './handler-failure.ts';
import { readArguments } from './prompt-arguments.ts';
import { stringParam, noArguments } from './params.ts';
import { stringsParam } from './strings-param.ts';

/** `prompts/get`. */
export function getPrompt(engine: Engine, params: JsonObject, request: RequestContext): Maybe<RawResult> {
  const name = stringParam(params, 'name');
  return andThen(engine.catalog.prompt(name, engine.viewer(request)), (prompt) => {
    if (prompt === undefined) throw new ProtocolError(CODE.invalidParams, `Unknown prompt: ${shown(name)}`);
    const args = stringsParam(params, 'arguments');
    return andThen(check(prompt, args, engine.limits), (checked) => {
      if ('issues' in checked)
        throw new ProtocolError(CODE.invalidParams, `Invalid arguments: ${formatIssues(checked.issues)}`);
      const run = () =>
        runHandler(engine, request, params, { method: 'prompts/get', name, args }, (ctx) =>
          prompt.prompt.handler(checked.value as never, ctx),
        );
      return settle<RawResult, RawResult>(
        () => andThen(run(), (ended) => encode(ended, prompt, request)),
        (raw) => raw,
        (error) => {
          throw handlerFailure(engine, request, `Prompt '${shown(name)}'`, error);
        },
      );
    });
  });
}

function encode(ended: Outcome<unknown>, { entry }: CompiledPrompt, { revision }: RequestContext): RawResult {
  if ('requests' in ended) return ended;
  return { result: encodePromptResult(resultOf(ended.value, entry.description), revision) };
}

function check({ input }: CompiledPrompt, args: Record<string, string>, limits: Limits): Maybe<CheckResult> {
  if (input === undefined) return noArguments(args, 'prompt');
  const read = readArguments(args, input.json, limits);
  return 'issues' in read ? read : input.check(read.value);
}

function isMessage(value: unknown): value is PromptMessage {
  return isObject(value) && (value['role'] === 'user' || value['role'] === 'assistant') && isContent(value['content']);
}

function resultOf(value: unknown, description: string | undefined): GetPromptResult {
  const about = description === undefined ? {} : { description };
  if (isObject(value) && Array.isArray(value['messages']))
    return { ...about, ...(value as unknown as GetPromptResult), messages: value['messages'].map(messageOf) };
  return { ...about, messages: (Array.isArray(value) ? value : [value]).map(messageOf) };
}

function messageOf(value: unknown): PromptMessage {
  if (typeof value === 'string') return { role: 'user', content: { type: 'text', text: value } };
  if (isContent(value)) return { role: 'user', content: value };
  if (isMessage(value)) return value;
  throw new TypeError('It returned something that is neither text, nor a content block, nor a message');
}
