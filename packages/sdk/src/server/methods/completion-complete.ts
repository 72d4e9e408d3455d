import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { shown } from '../../protocol/text.ts';
import { encodeCompletion } from '../../wire/encode-results.ts';
import { createContext } from '../call-context.ts';
import { type Completer, suggest } from '../completion.ts';
import type { Engine, RawResult } from '../engine.ts';
import { findTemplate } from '../find-resource.ts';
import { handlerFailure } from './handler-failure.ts';
import { stringParam } from './params.ts';
import { stringsParam } from './strings-param.ts';

/** `completion/complete`. */
export async function completeArgument(
  engine: Engine,
  params: JsonObject,
  request: RequestContext,
): Promise<RawResult> {
  const { ref, argument, context } = params;
  if (!isObject(ref)) throw new ProtocolError(CODE.invalidParams, '"ref" must be an object');
  if (!isObject(argument)) throw new ProtocolError(CODE.invalidParams, '"argument" must be an object');
  const name = stringParam(argument, 'name');
  const typed = stringParam(argument, 'value');
  if (context != null && !isObject(context)) throw new ProtocolError(CODE.invalidParams, '"context" must be an object');
  const resolved = context == null ? {} : stringsParam(context, 'arguments');
  const { completers, known } = await referenced(engine, ref, request);
  if (!known.includes(name))
    throw new ProtocolError(CODE.invalidParams, `There is no argument '${shown(name)}' to complete`);
  const completer = completers !== undefined && Object.hasOwn(completers, name) ? completers[name] : undefined;
  try {
    const ctx = Object.assign(createContext(request), { resolved });
    return { result: encodeCompletion(await suggest(completer, typed, ctx)) };
  } catch (error) {
    throw handlerFailure(engine, request, `Completion of '${shown(name)}'`, error);
  }
}

interface Referenced {
  readonly completers: Readonly<Record<string, Completer>> | undefined;
  readonly known: readonly string[];
}

async function referenced(engine: Engine, ref: JsonObject, request: RequestContext): Promise<Referenced> {
  const viewer = engine.viewer(request);
  if (ref['type'] === 'ref/prompt') {
    const name = stringParam(ref, 'name');
    const prompt = await engine.catalog.prompt(name, viewer);
    if (prompt === undefined) throw new ProtocolError(CODE.invalidParams, `Unknown prompt: ${shown(name)}`);
    return {
      completers: prompt.prompt.options.complete,
      known: (prompt.entry.arguments ?? []).map((argument) => argument.name),
    };
  }
  if (ref['type'] === 'ref/resource') {
    const uri = stringParam(ref, 'uri');
    const found = await findTemplate(engine.catalog, uri, viewer);
    if (found === undefined) throw new ProtocolError(CODE.invalidParams, `Unknown resource template: ${shown(uri)}`);
    return { completers: found.resource.options.complete, known: found.template!.variables };
  }
  throw new ProtocolError(CODE.invalidParams, '"ref.type" must be "ref/prompt" or "ref/resource"');
}
