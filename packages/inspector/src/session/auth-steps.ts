import type { AuthStep } from '../trace/line.ts';

export const ABOUT: Readonly<Record<AuthStep, { readonly title: string; readonly clause?: string }>> = {
  challenge: { title: 'The server requires authentication', clause: 'RFC 9728, section 5.1' },
  'resource-metadata': { title: 'Metadata of the protected resource', clause: 'RFC 9728, section 3' },
  'server-metadata': { title: 'Metadata of the authorization server', clause: 'RFC 8414, section 3' },
  registration: { title: 'Registration of the client', clause: 'RFC 7591, section 3' },
  authorization: { title: 'The user logs in', clause: 'OAuth 2.1, section 4.1.1; PKCE: section 7.5' },
  token: { title: 'The code is exchanged for a token', clause: 'OAuth 2.1, section 4.1.3; RFC 8707, section 2' },
  refresh: { title: 'The token is refreshed', clause: 'OAuth 2.1, section 4.3' },
  retry: { title: 'The request is sent again' },
  other: { title: 'Another request to the authorization server' },
};

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== ''
    ? value.length > 200
      ? `${value.slice(0, 200)}…`
      : value
    : undefined;
}

function listOf(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.slice(0, 5).map(String).join(', ') : 'none';
}

type Json = Readonly<Record<string, unknown>>;

/** A one-line summary of an accepted answer, without secrets. */
const SAID: Readonly<Partial<Record<AuthStep, (answer: Json) => readonly (string | undefined)[]>>> = {
  'resource-metadata': ({ resource, authorization_servers: servers, scopes_supported: scopes }) => [
    `It protects ${textOf(resource) ?? 'something without a name'}`,
    `authorization servers: ${listOf(servers)}`,
    scopes === undefined ? undefined : `scopes: ${listOf(scopes)}`,
  ],
  'server-metadata': ({ issuer, code_challenge_methods_supported: pkce, registration_endpoint: registration }) => [
    `It calls itself ${textOf(issuer) ?? 'nothing'}`,
    `PKCE: ${listOf(pkce)}`,
    registration === undefined ? 'no registration of clients' : 'clients may register',
  ],
  registration: ({ client_id: id }) => [`The client is called ${textOf(id) ?? 'nothing'}`],
  token: ({ token_type: type, expires_in: seconds, scope, refresh_token: refresh }) => [
    `A token of the type ${textOf(type) ?? 'unknown'}`,
    typeof seconds === 'number' ? `good for ${seconds} s` : undefined,
    textOf(scope) === undefined ? undefined : `for ${textOf(scope)}`,
    refresh === undefined ? 'it cannot be refreshed' : 'it can be refreshed',
  ],
};

/** A summary of an answer. Undefined: nothing in it could be read. */
export function verdictOf(step: AuthStep, ok: boolean, body: string): string | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return ok ? 'The answer is no JSON' : undefined;
  }
  if (typeof answer !== 'object' || answer === null) return 'The answer is not an object';
  const { error, error_description: description } = answer as Json;
  if (!ok) return [textOf(error), textOf(description)].filter((part) => part !== undefined).join(': ') || undefined;
  return (SAID[step === 'refresh' ? 'token' : step]?.(answer as Json) ?? [])
    .filter((part) => part !== undefined)
    .join('; ');
}
