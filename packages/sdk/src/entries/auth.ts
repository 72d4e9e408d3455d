/** Credentials for servers that want to know who is calling, and servers that do. */
export { clientCredentials, enterpriseManaged, oauth, workloadIdentity } from '../auth/oauth.ts';
export type { AuthOptions, EnterpriseOptions, MachineOptions, OAuthOptions, WorkloadOptions } from '../auth/oauth.ts';
export type { ClientKey } from '../auth/machine.ts';
export type { KnownClient } from '../auth/registration.ts';
export type { Browser, OpenBrowser } from '../auth/user-flow.ts';
export { memoryTokens } from '../auth/tokens.ts';
export type { Grant, TokenStore } from '../auth/tokens.ts';
export { AuthError } from '../protocol/auth-error.ts';
export type { AuthStep } from '../protocol/auth-error.ts';
export type { ClientAuth, Refusal } from '../protocol/client-auth.ts';
export { protectedResource } from '../auth/protected-resource.ts';
export type { ProtectedResourceOptions, TokenInfo, VerifyToken } from '../auth/protected-resource.ts';
export { introspection, jwt } from '../auth/verify.ts';
export type { IntrospectionOptions, JwtOptions } from '../auth/verify.ts';
export type { Gatekeeper } from '../protocol/auth.ts';
export { fileTokens, loopback } from '#login';
export type { FileTokensOptions } from '../auth/node/file-tokens.ts';
export type { LoopbackOptions } from '../auth/node/loopback.ts';
