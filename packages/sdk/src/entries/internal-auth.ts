/**
 * The parts of the SDK that `@tenon/auth-proxy` and `tenon` (`packages/cli`) use, and servers that log in to a service without MCP. Like `tenon/internal` it makes no promises: it does not follow SemVer, and everything in
 * it may change or disappear in any version. It is separate because it loads OAuth, which the users of `tenon/internal` do not need.
 */
export {
  AUTH_METHOD,
  CODE_CHALLENGE,
  CODE_VERIFIER,
  SCOPES,
  scopesIn,
  SUBJECT,
  TEXT,
  TEXTS,
  TOKEN_TYPE,
  VISIBLE,
} from '../auth/grammar.ts';
export { sourceOf, tokenAnswer } from '../auth/documents/read-answer.ts';
export { isJsonType, parseDocument, readMembersOnce } from '../auth/documents/read-document.ts';
export type { JsonDocument } from '../auth/documents/read-document.ts';
export { required } from '../auth/documents/read-members.ts';
export type { Members, Read, Source } from '../auth/documents/read-members.ts';
export { readParameters, redirectAnswer } from '../auth/documents/read-parameters.ts';
export { pauseAfterFailure } from '../auth/pause-after-failure.ts';
export { PeerQueue, PeerRate } from '../auth/peer-limits.ts';
export { checkClient, checkUserClient } from '../auth/registration.ts';
export { createUrlGuard, isLoopbackHost } from '../auth/url-guard.ts';
export { readServer } from '../auth/metadata.ts';
export { authenticate, expiryOf, preregisteredIdentity, SKEW_MS, tokenError } from '../auth/token-endpoint.ts';
export { userGrantKey, userSource } from '../auth/user-flow.ts';
export { createWeb } from '../auth/web.ts';
export { shown } from '../protocol/text.ts';
export { toBase64Url } from '../store/base64url.ts';
export { createSealer } from '../store/seal.ts';
export { withStoreLock } from '../store/with-store-lock.ts';
export { resourceSpellings } from '../auth/resource-spellings.ts';
