import type { PageAnswer, PageRequest } from 'tenon/auth';
import {
  AUTH_METHOD,
  createUrlGuard,
  createWeb,
  isJsonType,
  isLoopbackHost,
  type JsonDocument,
  parseDocument,
  PeerRate,
  readMembersOnce,
  required,
  shown,
  type Source,
  TEXT,
  TEXTS,
} from 'tenon/internal/auth';
import { json, OAuthError } from './responses.ts';
import type { OAuthProxyOptions, ProxyClient } from './options.ts';
import type { Vault } from './vault.ts';

const CLIENT_MS = 90 * 86_400_000;
const MAX_BYTES = 16 * 1024;
const MAX_REDIRECTS = 10;
/** The maximum number of characters of a redirect URI, and of the id of a client. */
const MAX_CHARACTERS = 2_000;
const MAX_ID = 4_000;
const MAX_NAME = 100;
/** The maximum number of registrations, and of fetched client documents, of one peer per minute: they are anonymous. */
const MAX_PER_MINUTE = 60;
/** How long a client id metadata document is cached by default, and how long its absence. */
const DOCUMENT_MS = 300_000;
const NO_DOCUMENT_MS = 10_000;
const MAX_DOCUMENT_MS = 86_400_000;
const MAX_DOCUMENTS = 1_000;

/** Private-use URI schemes, which contain a dot (RFC 8252, section 7.1). Other schemes could be handled by the browser or the system. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;
const KNOWN_SCHEMES = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'claude:', 'zed:']);

/** The metadata of a client (RFC 7591, section 2) that are read. */
const CLIENT_METADATA = {
  client_id: TEXT,
  redirect_uris: required(TEXTS),
  client_name: TEXT,
  application_type: TEXT,
  grant_types: TEXTS,
  response_types: TEXTS,
  token_endpoint_auth_method: AUTH_METHOD,
};

const REGISTRATION: Source = {
  what: 'The registration',
  refuse: (sentence, member) =>
    new OAuthError(member === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata', sentence),
};

function parseRedirectUri(text: string): URL {
  // It is sent back unchanged, so parsing must not alter it.
  const isPlain = text.length <= MAX_CHARACTERS && /^[\x21-\x7e]+$/.test(text) && !/[\\#]/.test(text);
  const url = isPlain && URL.canParse(text) ? new URL(text) : undefined;
  const fits =
    url !== undefined &&
    url.username === '' &&
    url.password === '' &&
    (url.protocol === 'https:' ||
      (url.protocol === 'http:' && isLoopbackHost(url.hostname)) ||
      PRIVATE_SCHEME.test(url.protocol) ||
      KNOWN_SCHEMES.has(url.protocol));
  if (fits) return url;
  throw new OAuthError(
    'invalid_redirect_uri',
    'A redirect URI must use https, http on the machine of the user, or a private-use scheme, and have no fragment',
  );
}

/** A client without its id. */
type ClientMetadata = Omit<ProxyClient, 'id'>;

/** Throws an `OAuthError` for metadata of a client that is not accepted. */
function metadataOf(document: JsonDocument): ClientMetadata {
  const read = readMembersOnce(document, CLIENT_METADATA, REGISTRATION);
  const { redirect_uris: redirectUris, client_name: name = '', application_type: type } = read;
  if (redirectUris.length === 0 || redirectUris.length > MAX_REDIRECTS)
    throw new OAuthError('invalid_redirect_uri', `\`redirect_uris\` must have 1 to ${MAX_REDIRECTS} URIs`);
  const urls = redirectUris.map(parseRedirectUri);
  const local = urls.every(({ protocol, hostname }) => protocol !== 'https:' || isLoopbackHost(hostname));
  return {
    name: name.trim() === '' ? urls[0]!.host : shown(name.trim(), MAX_NAME),
    redirectUris,
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

/** A document that was fetched: its client, or undefined if there is none. */
interface FetchedDocument {
  readonly client: ProxyClient | undefined;
  readonly until: number;
}

/**
 * The programs that may start logins. Registration is anonymous and unlimited, so a registration is not stored: the client id contains it,
 * sealed. It is stored when a user has logged in, and then kept for as long as it is used.
 */
export class Clients {
  readonly #vault: Vault;
  readonly #accept: NonNullable<OAuthProxyOptions['accept']>;
  readonly #documents = new Map<string, FetchedDocument>();
  readonly #fetching = new Map<string, Promise<FetchedDocument>>();
  readonly #registrations = new PeerRate(MAX_PER_MINUTE, 60_000);
  readonly #fetches = new PeerRate(MAX_PER_MINUTE, 60_000);
  readonly #web: ReturnType<typeof createWeb>;

  constructor(vault: Vault, { resource, accept = () => true, fetch }: OAuthProxyOptions) {
    this.#vault = vault;
    this.#accept = accept;
    this.#web = createWeb(createUrlGuard(new URL(resource)), fetch, 'registration');
  }

  /** Handles a registration request (RFC 7591). */
  async register(request: PageRequest): Promise<PageAnswer> {
    if (!isJsonType(request.header('content-type')))
      throw REGISTRATION.refuse('A registration must be application/json in UTF-8');
    const text = await request.body(MAX_BYTES);
    if (text === undefined) throw REGISTRATION.refuse(`A registration must have at most ${MAX_BYTES} bytes, in UTF-8`);
    const metadata = metadataOf(parseDocument(text, REGISTRATION));
    if (!this.#registrations.take(request.peer)) throw tooMany();
    const client = { id: await this.#vault.seal('client', metadata, CLIENT_MS), ...metadata };
    if (client.id.length > MAX_ID) throw REGISTRATION.refuse('The redirect URIs are too long', 'redirect_uris');
    if (!(await this.#accept(client)))
      throw new OAuthError('invalid_redirect_uri', 'This program is not allowed to use this server');
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
  }

  /**
   * Finds a registered client. Undefined if the id is unknown, or the client is not accepted. `peer`: the key under which requests of the
   * caller are counted. Throws an `OAuthError` if the caller has caused too many fetches of documents.
   */
  async find(id: string, peer: string | undefined): Promise<ProxyClient | undefined> {
    if (id === '' || id.length > MAX_ID) return undefined;
    const isDocument = isDocumentId(id);
    const client = isDocument ? await this.#clientOfDocument(id, peer) : await this.#registered(id);
    return client !== undefined && (await this.#accept(client)) ? client : undefined;
  }

  /** Keeps the registration of a client for longer: a user has logged in with it. */
  async remember(id: string): Promise<void> {
    const client = isDocumentId(id) ? undefined : ((await this.#stored(id)) ?? (await this.#sealed(id)));
    if (client !== undefined) await this.#vault.put('client', id, client, CLIENT_MS);
  }

  async #fetchDocument(id: string): Promise<FetchedDocument> {
    let client: ProxyClient | undefined;
    let lifeMs = NO_DOCUMENT_MS;
    try {
      const { document, freshMs = DOCUMENT_MS } = await this.#web.document(id);
      // The id has to be exactly the address of the document (client id metadata documents, section 3).
      if (document.value['client_id'] === id) {
        client = { id, ...metadataOf(document) };
        lifeMs = Math.min(freshMs, MAX_DOCUMENT_MS);
      }
    } catch {
      // The program counts as unknown.
    }
    const found = { client, until: performance.now() + lifeMs };
    this.#documents.delete(id);
    this.#documents.set(id, found);
    if (this.#documents.size > MAX_DOCUMENTS) this.#documents.delete(this.#documents.keys().next().value!);
    return found;
  }

  /** A client whose id is the URL of its metadata document (client id metadata documents). */
  async #clientOfDocument(id: string, peer: string | undefined): Promise<ProxyClient | undefined> {
    const known = this.#documents.get(id);
    if (known !== undefined && known.until > performance.now()) return known.client;
    const running = this.#fetching.get(id);
    if (running !== undefined) return (await running).client;
    if (!this.#fetches.take(peer)) throw tooMany();
    const fetched = this.#fetchDocument(id).finally(() => this.#fetching.delete(id));
    this.#fetching.set(id, fetched);
    return (await fetched).client;
  }

  async #stored(id: string): Promise<ProxyClient | undefined> {
    return (await this.#vault.get('client', id)) as ProxyClient | undefined;
  }

  async #sealed(id: string): Promise<ProxyClient | undefined> {
    const metadata = (await this.#vault.open('client', id)) as ClientMetadata | undefined;
    return metadata === undefined ? undefined : { id, ...metadata };
  }

  async #registered(id: string): Promise<ProxyClient | undefined> {
    const kept = await this.#stored(id);
    if (kept === undefined) return this.#sealed(id);
    // Each use extends the registration.
    await this.#vault.put('client', id, kept, CLIENT_MS);
    return kept;
  }
}

function isDocumentId(id: string): boolean {
  return /^https?:\/\/[^/]+\/./.test(id);
}

function tooMany(): OAuthError {
  return new OAuthError('temporarily_unavailable', 'Too many requests of this kind: try again in a minute', 429);
}
