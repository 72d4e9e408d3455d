/** An authorization server for an MCP server whose identity provider does not support client registration. */
export { oauthProxy } from './oauth-proxy.ts';
export type { OAuthProxy } from './oauth-proxy.ts';
export type { OAuthProvider, OAuthProxyOptions, ProxyClient, ProxyUser } from './options.ts';
