import type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { restrict } from './fields.ts';

/**
 * Extensions that are negotiated even if the revision has no `extensions` capability: their key goes into the capabilities of `initialize`,
 * which are open. See MCP Apps, "Capability negotiation".
 */
const LEGACY_EXTENSIONS: ReadonlySet<string> = new Set(['io.modelcontextprotocol/ui']);

/** Server capabilities as `revision` defines them. */
export function encodeServerCapabilities(capabilities: ServerCapabilities, revision: Revision): JsonObject {
  return withExtensions(restrict('serverCapabilities', capabilities, revision), revision);
}

/** Client capabilities as `revision` defines them. */
export function encodeClientCapabilities(capabilities: ClientCapabilities, revision: Revision): JsonObject {
  const encoded = withExtensions(restrict('clientCapabilities', capabilities, revision), revision);
  const { elicitation, ...rest } = encoded as ClientCapabilities & JsonObject;
  if (elicitation == null) return encoded;
  const modes = elicitationModes(elicitation, revision);
  return modes === undefined ? rest : { ...rest, elicitation: modes };
}

/** `{}` means form only; the first revision with elicitation has only forms, and no members for modes. */
function elicitationModes(
  modes: NonNullable<ClientCapabilities['elicitation']>,
  revision: Revision,
): JsonObject | undefined {
  const { form, url } = modes;
  const hasForm = form != null || url == null;
  if (featuresOf(revision).elicitation === 'form') return hasForm ? {} : undefined;
  return { form: hasForm ? (form ?? {}) : undefined, url: url ?? undefined };
}

function withExtensions(capabilities: JsonObject, revision: Revision): JsonObject {
  const { extensions, ...rest } = capabilities as { extensions?: JsonObject } & JsonObject;
  if (extensions === undefined || featuresOf(revision).extensions) return capabilities;
  const kept = Object.entries(extensions).filter(([id]) => LEGACY_EXTENSIONS.has(id));
  return kept.length === 0 ? rest : { ...rest, extensions: Object.fromEntries(kept) };
}
