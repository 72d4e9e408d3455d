import type { SamplingContent, ToolResultContent } from '../protocol/content.ts';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { ElicitResult, RootsResult, SampleResult } from '../protocol/results.ts';
import { type Features, featuresOf, type Revision } from '../protocol/revision.ts';
import { encodeBlocks } from './content.ts';
import { type Kind, restrict } from './fields.ts';
import { Inexpressible } from './inexpressible.ts';
import { wrapValue } from './read-output.ts';

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

/** A block of a sampling message. Throws `Inexpressible` if the revision has none of its kind. */
export function encodeSamplingBlock(block: SamplingContent, features: Features, revision: Revision): JsonObject {
  const rule = SAMPLING_KINDS.get(block.type);
  if (rule === undefined) throw new Inexpressible(`sampling has no content of type '${block.type}'`);
  if (rule.needs !== undefined && features[rule.needs] === false) throw new Inexpressible(rule.missing);
  const encoded = restrict(rule.kind, block, revision);
  return block.type === 'tool_result' ? encodeSamplingResult(block, encoded, features, revision) : encoded;
}

function encodeSamplingResult(
  block: ToolResultContent,
  encoded: JsonObject,
  features: Features,
  revision: Revision,
): JsonObject {
  const value = block.structuredContent;
  const wraps = features.structured === 'object' && value !== undefined && !isObject(value);
  const answer = { ...encoded, content: encodeBlocks(block.content, revision) };
  return wraps ? { ...answer, structuredContent: wrapValue(value) } : answer;
}

/**
 * A client's answer to a request for input, as `revision` defines it. Throws a `ProtocolError` (-32603) for a sampling result that the
 * revision cannot represent.
 */
export function encodeAnswer(
  method: string,
  answer: ElicitResult | SampleResult | RootsResult,
  revision: Revision,
): JsonObject {
  if (method === 'elicitation/create') return encodeElicitResult(answer as ElicitResult, revision);
  if (method === 'sampling/createMessage') return encodeSampleResult(answer as SampleResult, revision);
  return restrict('rootsResult', answer, revision);
}

/** Only accepted forms have content. */
function encodeElicitResult(answer: ElicitResult, revision: Revision): JsonObject {
  const encoded = restrict('elicitResult', answer, revision);
  if (answer.action === 'accept' || answer.content === undefined) return encoded;
  const { content: _content, ...rest } = encoded;
  return rest;
}

function encodeSampleResult(answer: SampleResult, revision: Revision): JsonObject {
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
}

function oneBlock(blocks: readonly JsonObject[]): JsonObject {
  const [first] = blocks;
  if (first === undefined) return { type: 'text', text: '' };
  if (blocks.length === 1) return first;
  if (blocks.some((block) => block['type'] !== 'text')) throw new Inexpressible('it allows one block of content');
  return { ...first, text: blocks.map((block) => block['text']).join('\n') };
}
