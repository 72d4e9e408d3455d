import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { SamplingMessage } from '../protocol/results.ts';
import { type Features, featuresOf, type Revision } from '../protocol/revision.ts';
import { restrict } from './fields.ts';
import { encodeForm } from './form.ts';
import { Inexpressible } from './inexpressible.ts';
import { encodeSamplingBlock } from './input-answer.ts';
import { withObjectProperties } from './output.ts';

/** A request for input as a revision defines it, or why the revision cannot represent it. */
export type EncodedInput = { readonly params: JsonObject } | { readonly unsupported: string };

const ENCODERS: ReadonlyMap<string, (params: JsonObject, revision: Revision) => JsonObject> = new Map([
  ['elicitation/create', (params: JsonObject, revision: Revision) => encodeElicitation(params, revision)],
  ['sampling/createMessage', (params: JsonObject, revision: Revision) => encodeSampling(params, revision)],
  ['roots/list', (params: JsonObject) => params],
]);

/**
 * The params of a request to the client, adapted to `revision`: forms, sampling messages and all other differences. A URL elicitation gets
 * an `elicitationId` if the revision requires one and there is none.
 */
export function encodeInputRequest(method: string, params: JsonObject, revision: Revision): EncodedInput {
  const encode = ENCODERS.get(method);
  if (encode === undefined) return { unsupported: `${method} is not a request to clients` };
  try {
    return { params: encode(params, revision) };
  } catch (error) {
    if (error instanceof Inexpressible)
      return { unsupported: `Protocol version ${revision} cannot ask this: ${error.message}` };
    throw error;
  }
}

function encodeElicitation(params: JsonObject, revision: Revision): JsonObject {
  const features = featuresOf(revision);
  if (features.elicitation === 'none') throw new Inexpressible('it has no elicitation');
  const full = features.elicitation === 'full';
  if (params['mode'] === 'url') {
    if (!full) throw new Inexpressible('it has no URL elicitation');
    const id =
      features.elicitationId && params['elicitationId'] === undefined ? { elicitationId: crypto.randomUUID() } : {};
    return restrict('elicitUrl', { ...params, ...id }, revision);
  }
  const { mode, ...rest } = restrict('elicitForm', params, revision);
  const schema = isObject(params['requestedSchema']) ? params['requestedSchema'] : {};
  return { mode: full ? mode : undefined, ...rest, requestedSchema: encodeForm(schema, revision) };
}

function encodeSampling(params: JsonObject, revision: Revision): JsonObject {
  const features = featuresOf(revision);
  const tools = params['tools'];
  if (!features.samplingTools && Array.isArray(tools) && tools.length > 0)
    throw new Inexpressible('it has no tools in sampling');
  const messages = (params['messages'] as SamplingMessage[]).flatMap((message) =>
    encodeMessage(message, features, revision),
  );
  const encoded = { ...restrict('sampleParams', params, revision), messages };
  return features.samplingTools && Array.isArray(tools)
    ? { ...encoded, tools: tools.map((tool) => encodeSamplingTool(tool, features)) }
    : encoded;
}

function encodeSamplingTool(tool: JsonObject, features: Features): JsonObject {
  return features.structured === 'any' || !isObject(tool['inputSchema'])
    ? tool
    : { ...tool, inputSchema: withObjectProperties(tool['inputSchema']) };
}

/** One message for each block if the revision allows only one block per message. */
function encodeMessage(message: SamplingMessage, features: Features, revision: Revision): JsonObject[] {
  const rest = restrict('sampleMessage', message, revision);
  if (!Array.isArray(message.content))
    return [{ ...rest, content: encodeSamplingBlock(message.content, features, revision) }];
  const blocks = message.content.map((block) => encodeSamplingBlock(block, features, revision));
  return features.samplingTools ? [{ ...rest, content: blocks }] : blocks.map((content) => ({ ...rest, content }));
}
