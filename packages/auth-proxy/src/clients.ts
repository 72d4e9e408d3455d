import { isObject } from '@tenon/values/is-object';
import type { PageAnswer, PageRequest } from 'tenon/auth';
import { createUrlGuard, createWeb, isLoopbackHost } from 'tenon/internal/auth';
import { json, OAuthError } from './responses.ts';
import type { OAuthProxyOptions, ProxyClient } from './options.ts';
import { randomId, type Vault } from './vault.ts';

const CLIENT_MS = 90 * 86_400_000;
const MAX_BYTES = 16 * 1024;
const MAX_REDIRECTS = 10;
const MAX_CHARACTERS = 2_000;
const MAX_NAME = 100;
/** Maximum registrations per minute on one node: programs that register are anonymous, and registrations are stored. */
const MAX_PER_MINUTE = 60;
/** How long a client id metadata document is cached if it does not say so itself. */
const DOCUMENT_MS = 300_000;
const MAX_DOCUMENT_MS = 86_400_000;
const MAX_DOCUMENTS = 200;

/** Private-use URI schemes, which contain a dot (RFC 8252, section 7.1). Other schemes could be handled by the browser or the system. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;
const KNOWN_SCHEMES = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'claude:', 'zed:']);

function parseRedirectUri(value: unknown): URL {
  let url: URL | undefined;
  try {
    url = typeof value === 'string' && value.length <= MAX_CHARACTERS ? new URL(value) : undefined;
  } catch {
    // Falls to the error below.
  }
  const fits =
    url !== undefined &&
    url.href.indexOf('#') === -1 &&
    url.username === '' &&
    url.password === '' &&
    (url.protocol === 'https:' ||
      (url.protocol === 'http:' && isLoopbackHost(url.hostname)) ||
      PRIVATE_SCHEME.test(url.protocol) ||
      KNOWN_SCHEMES.has(url.protocol));
  if (fits) return url!;
  throw new OAuthError(
    'invalid_redirect_uri',
    'A redirect URI must use https, http on the machine of the user, or a private-use scheme, and have no fragment',
  );
}

function clientOf(id: string, metadata: Readonly<Record<string, unknown>>): ProxyClient {
  const { redirect_uris: given, client_name: name, application_type: type } = metadata;
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_REDIRECTS)
    throw new OAuthError('invalid_redirect_uri', `\`redirect_uris\` must have 1 to ${MAX_REDIRECTS} URIs`);
  const urls = given.map(parseRedirectUri);
  const local = urls.every(({ protocol, hostname }) => protocol !== 'https:' || isLoopbackHost(hostname));
  return {
    id,
    name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, MAX_NAME) : new URL(urls[0]!).host,
    redirectUris: given as string[],
    native: type === 'native' || (type === undefined && local),
  };
}

/** A loopback URI without its port; undefined for any other URI. */
function withoutPort(text: string): string | undefined {
  const [, host, rest] = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=\/|$)(.*)$/.exec(text) ?? [];
  if (host === undefined || !URL.canParse(text)) return undefined;
  return `http://${host}${rest}`;
}

/**
 * Whether a redirect URI is registered. The port of a loopback URI may differ (RFC 8252, section 7.3); everything else has to match
 * exactly.
 */
export function isRegistered({ redirectUris, native }: ProxyClient, asked: string): boolean {
  if (redirectUris.includes(asked)) return true;
  const bare = native ? withoutPort(asked) : undefined;
  return bare !== undefined && redirectUris.some((one) => withoutPort(one) === bare);
}

/** The programs that may start logins. */
export interface Clients {
  /** Handles a registration request (RFC 7591). */
  register(request: PageRequest): Promise<PageAnswer>;
  /** Finds a registered client. Undefined if the id is unknown, or the client is not accepted. */
  find(id: string): Promise<ProxyClient | undefined>;
}

export function createClients(vault: Vault, { resource, accept = () => true, fetch }: OAuthProxyOptions): Clients {
  const documents = new Map<string, { readonly client: ProxyClient; readonly until: number }>();
  const web = createWeb(createUrlGuard(new URL(resource)), fetch, 'registration');
  let minute = 0;
  let registered = 0;

  const countRegistration = (): void => {
    const now = Math.floor(performance.now() / 60_000);
    if (now !== minute) [minute, registered] = [now, 0];
    if (++registered > MAX_PER_MINUTE)
      throw new OAuthError('temporarily_unavailable', 'Too many registrations: try again in a minute', 429);
  };

  /** A client whose id is the URL of its metadata document (client id metadata documents). */
  const clientOfDocument = async (id: string): Promise<ProxyClient | undefined> => {
    const known = documents.get(id);
    if (known !== undefined && known.until > performance.now()) return known.client;
    const read = await web.document(id).catch(() => undefined);
    if (read === undefined || read.value['client_id'] !== id) return undefined;
    const { value: found, freshMs } = read;
    let client: ProxyClient;
    try {
      client = clientOf(id, found);
    } catch {
      return undefined;
    }
    documents.delete(id);
    documents.set(id, { client, until: performance.now() + Math.min(freshMs ?? DOCUMENT_MS, MAX_DOCUMENT_MS) });
    if (documents.size > MAX_DOCUMENTS) documents.delete(documents.keys().next().value!);
    return client;
  };

  return {
    async register(request) {
      const text = await request.body(MAX_BYTES);
      let metadata: unknown;
      try {
        metadata = JSON.parse(text ?? '');
      } catch {
        // Falls to the error below.
      }
      if (!isObject(metadata))
        throw new OAuthError(
          'invalid_client_metadata',
          `A registration must be a JSON object of at most ${MAX_BYTES} bytes`,
        );
      const client = clientOf(randomId(), metadata);
      if (!(await accept(client)))
        throw new OAuthError('invalid_redirect_uri', 'This program is not allowed to use this server');
      countRegistration();
      await vault.put('client', client.id, client, CLIENT_MS);
      return json(201, {
        client_id: client.id,
        client_id_issued_at: Math.floor(Date.now() / 1_000),
        client_name: client.name,
        redirect_uris: client.redirectUris,
        application_type: client.native ? 'native' : 'web',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      });
    },
    async find(id) {
      if (id.length > MAX_CHARACTERS) return undefined;
      const isDocument = /^https?:\/\/[^/]+\/./.test(id);
      const client = isDocument
        ? await clientOfDocument(id)
        : ((await vault.get('client', id)) as ProxyClient | undefined);
      if (client === undefined || !(await accept(client))) return undefined;
      // Each use extends the registration.
      if (!isDocument) await vault.put('client', id, client, CLIENT_MS);
      return client;
    },
  };
}
