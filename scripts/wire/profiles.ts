// The options with which the server is served. Child processes get the name of a profile instead of the options.
import type { HttpOptions } from 'tenon/http';
import type { Build, StdioBuild } from './build.ts';

/** Small limits, so that inputs can exceed them quickly. */
const LIMITS = {
  depth: 24,
  elements: 2_000,
  batch: 5,
  inFlight: 4,
  subscriptions: 3,
  subscriptionUris: 4,
  lineBytes: 64 * 1024,
  bodyBytes: 64 * 1024,
  rounds: 4,
};

export type ProfileName = 'plain' | 'auth' | 'resource' | 'polling' | 'modern-only' | 'legacy-only';

const CALLERS = new Map([
  ['Bearer ann', { id: 'ann', scopes: ['read', 'write'] }],
  ['Bearer bob', { id: 'bob', scopes: ['read'] }],
]);

/** Identifies callers by their token, and denies access in every possible way. */
function authFunction({ node }: StdioBuild): NonNullable<HttpOptions['auth']> {
  return (request) => {
    const token = request.header('authorization') ?? '';
    if (token === 'Bearer anonymous') return node.anonymous;
    if (token === 'Bearer teapot') return { status: 418, message: 'A teapot', headers: { 'x-teapot': 'yes' } };
    if (token === 'Bearer throws') throw new Error('SECRET');
    if (token === 'Bearer later') return Promise.resolve({ id: 'later' });
    if (token === 'Bearer strange') return { id: 7 } as never;
    return CALLERS.get(token);
  };
}

/** `auth` is loaded for all HTTP transports. */
export function optionsOf(build: StdioBuild & Partial<Pick<Build, 'auth'>>, profile: ProfileName): HttpOptions {
  const options: HttpOptions = {
    keys: ['a key for recordings'],
    limits: LIMITS,
    log: () => {},
    drainMs: 200,
  };
  switch (profile) {
    case 'auth':
      return { ...options, auth: authFunction(build) };
    case 'resource':
      return {
        ...options,
        auth: build.auth!.protectedResource({
          resource: 'http://localhost/mcp',
          authorizationServers: ['https://issuer.example'],
          scopes: ['read'],
          scopesSupported: ['read', 'write'],
          name: 'The recorded server',
          verify(token) {
            if (token === 'broken') throw new Error('SECRET');
            const scopes = CALLERS.get(`Bearer ${token}`)?.scopes;
            return scopes && { issuer: 'https://issuer.example', subject: token, scopes, claims: {} };
          },
        }),
      };
    case 'polling':
      return { ...options, polling: { afterMs: 40, retryMs: 1_234 } };
    case 'modern-only':
      return { ...options, revisions: ['2026-07-28'] };
    case 'legacy-only':
      return { ...options, revisions: ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] };
    default:
      return options;
  }
}
