import type { AudioContent, Content, ResourceLink } from '../protocol/content.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { type Features, featuresOf, type Revision } from '../protocol/revision.ts';
import { type Kind, mapSame, restrict } from './fields.ts';

/** How to encode a block: its members, and its replacement if the revision does not know its type. */
interface BlockRule {
  readonly kind: Kind;
  readonly needs?: keyof Features;
  readonly instead?: (block: never, index: number) => Content;
}

/** An older client can save it, or show that there is an attachment. */
function audioAsResource(block: AudioContent, index: number): Content {
  return {
    type: 'resource',
    resource: { uri: `embedded:audio/${index}`, mimeType: block.mimeType, blob: block.data },
    annotations: block.annotations,
  };
}

/** Tells the model what the resource is and where. */
function linkAsText(block: ResourceLink): Content {
  const label = block.title ?? block.name;
  const type = block.mimeType === undefined ? '' : ` (${block.mimeType})`;
  const description = block.description === undefined ? '' : `\n${block.description}`;
  return {
    type: 'text',
    text: `Resource: ${label}${type}\nURI: ${block.uri}${description}`,
    annotations: block.annotations,
  };
}

const RULES: ReadonlyMap<string, BlockRule> = new Map<string, BlockRule>([
  ['text', { kind: 'text' }],
  ['image', { kind: 'image' }],
  ['audio', { kind: 'audio', needs: 'audio', instead: audioAsResource }],
  ['resource', { kind: 'embedded' }],
  ['resource_link', { kind: 'link', needs: 'resourceLink', instead: linkAsText }],
]);

/**
 * A content block as `revision` can represent it: audio becomes an embedded resource, a resource link a text with its URI, and unknown
 * members are left out. `index` is the block's position among its siblings; it makes the URI of embedded audio unique. A block that needs
 * no change is returned as it is.
 */
export function encodeContent(block: Content, revision: Revision, index = 0): JsonObject {
  const rule = RULES.get(block.type);
  if (rule === undefined) return block as unknown as JsonObject;
  if (rule.instead !== undefined && featuresOf(revision)[rule.needs!] === false) {
    return encodeContent(rule.instead(block as never, index), revision);
  }
  return restrict(rule.kind, block, revision);
}

/** Every block of a list as `revision` can represent it; the same array if no block changes. */
export function encodeBlocks(blocks: readonly Content[], revision: Revision): readonly JsonObject[] {
  return mapSame(blocks as unknown as readonly JsonObject[], (block, index) =>
    encodeContent(block as unknown as Content, revision, index),
  );
}
