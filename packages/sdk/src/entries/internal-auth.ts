/**
 * The parts of the SDK that `@tenon/auth-proxy` uses. Like `tenon/internal` it makes no promises: it does not follow SemVer, and everything in
 * it may change or disappear in any version. It is separate because it loads OAuth, which the users of `tenon/internal` do not need.
 */
export { isAccessToken, isVisibleText } from '../auth/grammar.ts';
export { createUrlGuard, isLoopbackHost } from '../auth/url-guard.ts';
export { readServer } from '../auth/metadata.ts';
export { clientAuthOf, expiryOf, methodFor, SKEW_MS } from '../auth/token-endpoint.ts';
export { createWeb } from '../auth/web.ts';
export { toBase64Url } from '../store/base64url.ts';
export { createSealer } from '../store/seal.ts';
export type { Sealer } from '../store/sealer.ts';
