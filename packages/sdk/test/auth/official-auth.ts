/** The options that the official clients require of their users. The same for both versions. */
export function officialAuth() {
  const kept: Record<string, any> = {};
  return {
    kept,
    redirectUrl: 'http://127.0.0.1:7777/callback',
    clientMetadata: {
      client_name: 'official',
      redirect_uris: ['http://127.0.0.1:7777/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept['client'],
    saveClientInformation: (client: unknown) => void (kept['client'] = client),
    tokens: () => kept['tokens'],
    saveTokens: (tokens: unknown) => void (kept['tokens'] = tokens),
    redirectToAuthorization: (page: URL) => void (kept['page'] = page),
    saveCodeVerifier: (verifier: string) => void (kept['verifier'] = verifier),
    codeVerifier: () => kept['verifier'],
  };
}
