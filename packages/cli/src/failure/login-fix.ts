/** The advice if a stored login is missing, or not sufficient. */
export function loginFix(url = '<url>', what = 'Log in'): string {
  return `${what}: tenon login ${url}`;
}

/**
 * The advice for a server that refuses requests without other credentials. `hasAuthOption`: whether the verb has the option `--auth`. `server`:
 * how `tenon login` names the server.
 */
export function authorizationFix(hasAuthOption: boolean, server?: string): string {
  return `${loginFix(server)}${hasAuthOption ? ', or --auth' : ''}. Or send your own token: --header 'Authorization: Bearer …'`;
}
