import { isObject } from '@tenon/values/is-object';
import type { PageAnswer, PageRequest } from 'tenon/auth';
import { createUrlGuard, createWeb, isLoopbackHost } from 'tenon/internal/auth';
import { json, OAuthError } from './answers.ts';
import type { OAuthProxyOptions, ProxyClient } from './options.ts';
import { randomId, type Vault } from './vault.ts';

const CLIENT_MS = 90 * 86_400_000;
const MOST_BYTES = 16 * 1024;
const MOST_REDIRECTS = 10;
const MOST_CHARACTERS = 2_000;
const MOST_NAME = 100;
/** Registrations in a minute, on one node: whoever registers is not known, and what they leave is kept. */
const MOST_IN_A_MINUTE = 60;
/** Documents of clients are read again after so long, or after what they say themselves. */
const DOCUMENT_MS = 300_000;
const MOST_DOCUMENT_MS = 86_400_000;
const MOST_DOCUMENTS = 200;

/** Schemes that a browser, or the system, would do something with by itself. Those of programs have a dot in them (RFC 8252, section 7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;
const OWN_SCHEMES = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'claude:', 'zed:']);

const checkedRedirect = (value: unknown): URL => {
  let url: URL | undefined;
  try {
    url = typeof value === 'string' && value.length <= MOST_CHARACTERS ? new URL(value) : undefined;
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
      OWN_SCHEMES.has(url.protocol));
  if (fits) return url!;
  throw new OAuthError(
    'invalid_redirect_uri',
    'A redirect address is https, http on the machine of the user, or of a scheme of the program; without a fragment',
  );
};

const clientOf = (id: string, metadata: Readonly<Record<string, unknown>>): ProxyClient => {
  const { redirect_uris: given, client_name: name, application_type: type } = metadata;
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_REDIRECTS)
    throw new OAuthError('invalid_redirect_uri', `\`redirect_uris\` has 1 to ${MOST_REDIRECTS} addresses`);
  const urls = given.map(checkedRedirect);
  const local = urls.every(({ protocol, hostname }) => protocol !== 'https:' || isLoopbackHost(hostname));
  return {
    id,
    name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, MOST_NAME) : new URL(urls[0]!).host,
    redirectUris: given as string[],
    native: type === 'native' || (type === undefined && local),
  };
};

/** An address of this machine without its port; undefined for any other. */
const withoutPort = (text: string): string | undefined => {
  const [, host, rest] = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=\/|$)(.*)$/.exec(text) ?? [];
  if (host === undefined || !URL.canParse(text)) return undefined;
  return `http://${host}${rest}`;
};

/** Those that come back to this machine may use another port each time; everything else has to be the same, sign for sign. */
export const isRegistered = ({ redirectUris, native }: ProxyClient, asked: string): boolean => {
  if (redirectUris.includes(asked)) return true;
  const bare = native ? withoutPort(asked) : undefined;
  return bare !== undefined && redirectUris.some((one) => withoutPort(one) === bare);
};

/** Who may ask to log somebody in. */
export interface Clients {
  register(request: PageRequest): Promise<PageAnswer>;
  /** Finds a client; undefined when there is none, or it is not accepted. */
  find(id: string): Promise<ProxyClient | undefined>;
}

export const createClients = (vault: Vault, { resource, accept = () => true, fetch }: OAuthProxyOptions): Clients => {
  const documents = new Map<string, { readonly client: ProxyClient; readonly until: number }>();
  const web = createWeb(createUrlGuard(new URL(resource)), fetch, 'registration');
  let minute = 0;
  let registered = 0;

  const count = (): void => {
    const now = Math.floor(performance.now() / 60_000);
    if (now !== minute) [minute, registered] = [now, 0];
    if (++registered > MOST_IN_A_MINUTE)
      throw new OAuthError('temporarily_unavailable', 'Too many programs register at once: try again in a minute', 429);
  };

  /** A client whose id is the address of a document about it (client id metadata documents). */
  const ofDocument = async (id: string): Promise<ProxyClient | undefined> => {
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
    documents.set(id, { client, until: performance.now() + Math.min(freshMs ?? DOCUMENT_MS, MOST_DOCUMENT_MS) });
    if (documents.size > MOST_DOCUMENTS) documents.delete(documents.keys().next().value!);
    return client;
  };

  return {
    async register(request) {
      const text = await request.body(MOST_BYTES);
      let metadata: unknown;
      try {
        metadata = JSON.parse(text ?? '');
      } catch {
        // Falls to the error below.
      }
      if (!isObject(metadata))
        throw new OAuthError('invalid_client_metadata', 'A registration is a JSON object, and not large');
      const client = clientOf(randomId(), metadata);
      if (!(await accept(client))) throw new OAuthError('invalid_redirect_uri', 'This program may not use this server');
      count();
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
      if (id.length > MOST_CHARACTERS) return undefined;
      const isDocument = /^https?:\/\/[^/]+\/./.test(id);
      const client = isDocument ? await ofDocument(id) : ((await vault.get('client', id)) as ProxyClient | undefined);
      if (client === undefined || !(await accept(client))) return undefined;
      // A registration lives as long as it is used.
      if (!isDocument) await vault.put('client', id, client, CLIENT_MS);
      return client;
    },
  };
};
