import type { SamplingContent, ToolResultContent } from '../protocol/content.ts';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { ElicitResult, RootsResult, SampleResult, SamplingMessage } from '../protocol/results.ts';
import { type Features, featuresOf, type Revision } from '../protocol/revision.ts';
import { encodeBlocks } from './content.ts';
import { type Kind, restrict } from './fields.ts';
import { encodeForm, Inexpressible } from './form.ts';
import { withObjectProperties, wrapValue } from './output.ts';

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
export const encodeInputRequest = (method: string, params: JsonObject, revision: Revision): EncodedInput => {
  const encode = ENCODERS.get(method);
  if (encode === undefined) return { unsupported: `${method} is not a request to clients` };
  try {
    return { params: encode(params, revision) };
  } catch (error) {
    if (error instanceof Inexpressible)
      return { unsupported: `Protocol version ${revision} cannot ask this: ${error.message}` };
    throw error;
  }
};

const encodeElicitation = (params: JsonObject, revision: Revision): JsonObject => {
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
  return { ...(full && mode !== undefined ? { mode } : {}), ...rest, requestedSchema: encodeForm(schema, revision) };
};

const encodeSampling = (params: JsonObject, revision: Revision): JsonObject => {
  const features = featuresOf(revision);
  const tools = params['tools'];
  if (!features.samplingTools && Array.isArray(tools) && tools.length > 0)
    throw new Inexpressible('it has no tools in sampling');
  const messages = (params['messages'] as SamplingMessage[]).flatMap((message) =>
    encodeMessage(message, features, revision),
  );
  return {
    ...restrict('sampleParams', params, revision),
    messages,
    ...(features.samplingTools && Array.isArray(tools)
      ? { tools: tools.map((tool) => encodeSamplingTool(tool, features)) }
      : {}),
  };
};

const encodeSamplingTool = (tool: JsonObject, features: Features): JsonObject =>
  features.structured === 'any' || !isObject(tool['inputSchema'])
    ? tool
    : { ...tool, inputSchema: withObjectProperties(tool['inputSchema']) };

/** One message for each block if the revision allows only one block per message. */
const encodeMessage = (message: SamplingMessage, features: Features, revision: Revision): JsonObject[] => {
  const rest = restrict('sampleMessage', message, revision);
  if (!Array.isArray(message.content))
    return [{ ...rest, content: encodeSamplingBlock(message.content, features, revision) }];
  const blocks = message.content.map((block) => encodeSamplingBlock(block, features, revision));
  return features.samplingTools ? [{ ...rest, content: blocks }] : blocks.map((content) => ({ ...rest, content }));
};

const SAMPLING_KINDS: ReadonlyMap<string, { kind: Kind; needs?: keyof Features; missing: string }> = new Map<
  string,
  { kind: Kind; needs?: keyof Features; missing: string }
>([
  ['text', { kind: 'text', missing: '' }],
  ['image', { kind: 'image', missing: '' }],
  ['audio', { kind: 'audio', needs: 'audio', missing: 'it has no audio' }],
  ['tool_use', { kind: 'toolUse', needs: 'samplingTools', missing: 'it has no tools in sampling' }],
  ['tool_result', { kind: 'toolResult', needs: 'samplingTools', missing: 'it has no tools in sampling' }],
]);

const encodeSamplingBlock = (block: SamplingContent, features: Features, revision: Revision): JsonObject => {
  const rule = SAMPLING_KINDS.get(block.type);
  if (rule === undefined) throw new Inexpressible(`sampling has no content of type '${block.type}'`);
  if (rule.needs !== undefined && features[rule.needs] === false) throw new Inexpressible(rule.missing);
  const encoded = restrict(rule.kind, block, revision);
  return block.type === 'tool_result' ? encodeSamplingResult(block, encoded, features, revision) : encoded;
};

const encodeSamplingResult = (
  block: ToolResultContent,
  encoded: JsonObject,
  features: Features,
  revision: Revision,
): JsonObject => {
  const value = block.structuredContent;
  const wraps = features.structured === 'object' && value !== undefined && !isObject(value);
  return {
    ...encoded,
    content: encodeBlocks(block.content, revision),
    ...(wraps ? { structuredContent: wrapValue(value) } : {}),
  };
};

/**
 * A client's answer to a request for input, as `revision` defines it. Throws a `ProtocolError` (-32603) for a sampling result that the
 * revision cannot represent.
 */
export const encodeAnswer = (
  method: string,
  answer: ElicitResult | SampleResult | RootsResult,
  revision: Revision,
): JsonObject => {
  if (method === 'elicitation/create') return encodeElicitResult(answer as ElicitResult, revision);
  if (method === 'sampling/createMessage') return encodeSampleResult(answer as SampleResult, revision);
  return restrict('rootsResult', answer, revision);
};

/** Only accepted forms have content. */
const encodeElicitResult = (answer: ElicitResult, revision: Revision): JsonObject => {
  const encoded = restrict('elicitResult', answer, revision);
  if (answer.action === 'accept' || answer.content === undefined) return encoded;
  const { content: _content, ...rest } = encoded;
  return rest;
};

const encodeSampleResult = (answer: SampleResult, revision: Revision): JsonObject => {
  const features = featuresOf(revision);
  const encoded = restrict('sampleResult', answer, revision);
  try {
    if (!Array.isArray(answer.content))
      return { ...encoded, content: encodeSamplingBlock(answer.content, features, revision) };
    const blocks = answer.content.map((block) => encodeSamplingBlock(block, features, revision));
    return { ...encoded, content: features.samplingTools ? blocks : oneBlock(blocks) };
  } catch (error) {
    if (!(error instanceof Inexpressible)) throw error;
    throw new ProtocolError(
      CODE.internalError,
      `Protocol version ${revision} cannot carry this answer: ${error.message}`,
    );
  }
};

const oneBlock = (blocks: readonly JsonObject[]): JsonObject => {
  const [first] = blocks;
  if (first === undefined) return { type: 'text', text: '' };
  if (blocks.length === 1) return first;
  if (blocks.some((block) => block['type'] !== 'text')) throw new Inexpressible('it allows one block of content');
  return { ...first, text: blocks.map((block) => block['text']).join('\n') };
};
