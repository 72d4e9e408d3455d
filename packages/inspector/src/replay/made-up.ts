import { CODE, LEGACY } from 'tenon/internal';
import type { Conversation } from './conversation.ts';

type Json = Readonly<Record<string, unknown>>;
type Capabilities = Record<string, Record<string, unknown>>;

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const TASKS = 'io.modelcontextprotocol/tasks';
const LEGACY_REVISIONS: ReadonlySet<unknown> = new Set(LEGACY);
/** The capability of a method, by its prefix. */
const PARTS: ReadonlyMap<string, string> = new Map([
  ['tools', 'tools'],
  ['prompts', 'prompts'],
  ['resources', 'resources'],
  ['completion', 'completions'],
  ['logging', 'logging'],
]);
/** Methods, and members, that prove a further feature of a capability. */
const SIGNS: ReadonlyMap<string, readonly [part: string, feature?: string]> = new Map([
  ['resources/subscribe', ['resources', 'subscribe']],
  ['notifications/message', ['logging']],
  ['notifications/resources/updated', ['resources', 'subscribe']],
  ['notifications/resources/list_changed', ['resources', 'listChanged']],
  ['notifications/tools/list_changed', ['tools', 'listChanged']],
  ['notifications/prompts/list_changed', ['prompts', 'listChanged']],
  // Members of the acknowledgement of a subscription.
  ['toolsListChanged', ['tools', 'listChanged']],
  ['promptsListChanged', ['prompts', 'listChanged']],
  ['resourcesListChanged', ['resources', 'listChanged']],
  ['resourceSubscriptions', ['resources', 'subscribe']],
]);

function acknowledgedIn(text: string): string[] {
  const { params } = JSON.parse(text) as { params?: { notifications?: Json | null } | null };
  return Object.entries(params?.notifications ?? {})
    .filter(([, value]) => value !== false && value !== null)
    .map(([name]) => name);
}

/** The capabilities of the server, as far as the trace shows them: from its answers and notifications. */
function capabilitiesIn({ messages, text }: Conversation): Capabilities {
  const found: Capabilities = {};
  const offer = (part: string, feature?: string): void => {
    const own = (found[part] ??= {});
    if (feature !== undefined) own[feature] = part === 'extensions' ? {} : true;
  };
  const sign = (name: string): void => {
    const own = SIGNS.get(name);
    if (own !== undefined) offer(...own);
  };
  for (const { n, from, message, method, code } of messages) {
    if (from !== 'server' || method === undefined || code === CODE.methodNotFound) continue;
    if (message === 'response') {
      const part = PARTS.get(method.split('/')[0]!);
      if (part !== undefined) offer(part);
      else if (method.startsWith('tasks/')) offer('extensions', TASKS);
      sign(method);
    } else if (method === 'notifications/subscriptions/acknowledged') acknowledgedIn(text(n)).forEach(sign);
    else if (message === 'notification') sign(method);
  }
  return found;
}

/** The server's description of itself, from a result (2026-07-28). */
function serverInfoIn({ messages, text }: Conversation): unknown {
  for (const { n, from, message } of messages) {
    if (from !== 'server' || message !== 'response') continue;
    const own = text(n);
    if (!own.includes(SERVER_INFO)) continue;
    const { result } = JSON.parse(own) as { result?: { _meta?: Json | null } | null };
    const info = result?._meta?.[SERVER_INFO];
    if (info !== undefined) return info;
  }
  return undefined;
}

/** The revision in the headers of a legacy session. */
function revisionInHeaders({ messages, at, line }: Conversation): string | undefined {
  for (const { n, from } of messages) {
    const next = from === 'client' ? at(n + 1) : undefined;
    if (next?.kind !== 'http' || next.cause !== n) continue;
    const named = line(next.n).http?.headers?.['mcp-protocol-version'];
    if (LEGACY_REVISIONS.has(named)) return named;
  }
  return undefined;
}

function wantedIn(text: string): string {
  const { params } = JSON.parse(text) as { params?: { protocolVersion?: unknown } | null };
  return LEGACY_REVISIONS.has(params?.protocolVersion) ? (params!.protocolVersion as string) : LEGACY[0]!;
}

function discovered(conversation: Conversation, revision: string): Json {
  const info = serverInfoIn(conversation);
  return {
    supportedVersions: [revision],
    capabilities: capabilitiesIn(conversation),
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: info === undefined ? undefined : { [SERVER_INFO]: info },
  };
}

function initialized(conversation: Conversation, text: string): Json {
  const { extensions: _, ...capabilities } = capabilitiesIn(conversation);
  return {
    protocolVersion: revisionInHeaders(conversation) ?? wantedIn(text),
    capabilities,
    serverInfo: { name: conversation.about?.name ?? conversation.session, version: 'unknown' },
  };
}

/** Returns whether the client only probed the revision of the server. Some then start it again for everything else. */
export function isOnlyProbe({ messages }: Conversation): boolean {
  return messages.every(
    ({ from, message, method }) => from !== 'client' || message !== 'request' || method === 'server/discover',
  );
}

/**
 * The result of a handshake request that was not recorded, derived from the rest of the trace, as JSON. Undefined: the method is
 * not a handshake request of this revision, or the trace has nothing else.
 */
export function madeUpGreeting(
  conversation: Conversation,
  { revision, isModern }: { readonly revision: string | undefined; readonly isModern: boolean },
  method: string,
  text: string,
): string | undefined {
  if (isOnlyProbe(conversation)) return undefined;
  if (method === 'server/discover' && isModern && revision !== undefined)
    return JSON.stringify(discovered(conversation, revision));
  if (method === 'initialize' && !isModern) return JSON.stringify(initialized(conversation, text));
  return undefined;
}
