// Authorization that fails, against a web that is a table.
import {
  type ClientAuth,
  oauth,
  fileTokens,
  loopback,
  type OAuthOptions,
  pasteRedirect,
} from '../../src/entries/auth.ts';
import { provoke } from '../../../../scripts/lib/error-codes.ts';
import type { ErrorCode } from '../../src/protocol/error-codes.ts';

const SERVER = 'https://mcp.example.com/mcp';
const AS = 'https://as.example.com';
const PLACE = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
const METADATA = {
  issuer: AS,
  authorization_endpoint: `${AS}/authorize`,
  token_endpoint: `${AS}/token`,
  registration_endpoint: `${AS}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
};

interface Web {
  readonly resource?: object;
  readonly metadata?: object;
  readonly register?: () => Response;
}

/** The user accepts immediately. */
const browser = {
  open: () => ({
    redirectUri: 'http://127.0.0.1:1/callback',
    authorize: (url: URL) =>
      Promise.resolve(`http://127.0.0.1:1/callback?error=access_denied&state=${url.searchParams.get('state')}`),
    close() {},
  }),
};

/** Logs in after a server has refused a request. */
async function logIn(web: Web = {}, options: Partial<OAuthOptions> = {}): Promise<void> {
  await refuse(clientOf(web, options));
}

function clientOf({ resource, metadata, register }: Web, options: Partial<OAuthOptions> = {}): ClientAuth {
  const documents = new Map<string, () => Response>([
    [PLACE, () => Response.json({ resource: SERVER, authorization_servers: [AS], ...resource })],
    [`${AS}/.well-known/oauth-authorization-server`, () => Response.json({ ...METADATA, ...metadata })],
    [`${AS}/register`, register ?? (() => Response.json({ client_id: 'made' }, { status: 201 }))],
  ]);
  const fetch = ((url: string) =>
    Promise.resolve(documents.get(url)?.() ?? new Response('', { status: 404 }))) as typeof globalThis.fetch;
  return oauth({ browser, fetch, ...options });
}

async function refuse(auth: ClientAuth): Promise<void> {
  await auth.challenged({
    server: SERVER,
    method: 'POST',
    url: SERVER,
    status: 401,
    challenge: 'Bearer',
    header: () => undefined,
    sent: {},
    attempt: 0,
  });
}

provoke<ErrorCode<'AuthError'>>('AuthError', {
  refused: () => logIn(),
  'no-metadata': () => logIn({ resource: { authorization_servers: ['https://other.example.com'] } }),
  'wrong-issuer': () => logIn({ metadata: { issuer: 'https://other.example.com' } }),
  'wrong-resource': () => logIn({ resource: { resource: 'https://other.example.com/mcp' } }),
  'unsafe-address': () => logIn({ metadata: { token_endpoint: 'http://as.example.com/token' } }),
  'invalid-response': () => logIn({ register: () => Response.json({}, { status: 201 }) }),
  'no-pkce': () => logIn({ metadata: { code_challenge_methods_supported: ['plain'] } }),
  'no-registration': () => logIn({ metadata: { registration_endpoint: undefined } }),
  'login-unavailable': async () => {
    const first = loopback();
    const { redirectUri, close } = await first.open();
    try {
      await logIn({}, { browser: loopback({ port: Number(new URL(redirectUri).port) }) });
    } finally {
      await close();
    }
  },
  'login-incomplete': () => logIn({}, { browser: pasteRedirect({ ask: () => Promise.resolve('') }) }),
  'too-many-logins': async () => {
    const auth = clientOf({});
    for (let count = 0; count < 10; count++) await refuse(auth).catch(() => {});
    await refuse(auth);
  },
  'storage-failed': () => logIn({}, { store: fileTokens(import.meta.dirname) }),
});
