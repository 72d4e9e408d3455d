// The members that are read from each document of an authorization server, with their syntax.
import {
  ACCESS_TOKEN,
  AUDIENCE,
  AUTH_METHOD,
  ERROR_CODE,
  FLAG,
  JWT,
  OBJECT,
  OBJECTS,
  SCOPE_LIST,
  SCOPES,
  SCOPES_OF_TOKEN,
  SECONDS,
  SECRET,
  SUBJECT,
  TEXT,
  TEXTS,
  THUMBPRINT,
  TIME,
  TOKEN_TYPE,
  VISIBLE,
} from '../grammar.ts';
import { required } from './read-members.ts';

/** Protected resource metadata (RFC 9728, section 2). */
export const RESOURCE_METADATA = {
  resource: required(TEXT),
  authorization_servers: TEXTS,
  scopes_supported: SCOPE_LIST,
};

/** Metadata of an authorization server (RFC 8414, section 2; OpenID Connect Discovery 1.0, section 3). The guard checks their URLs. */
export const SERVER_METADATA = {
  issuer: required(TEXT),
  authorization_endpoint: TEXT,
  token_endpoint: TEXT,
  registration_endpoint: TEXT,
  revocation_endpoint: TEXT,
  scopes_supported: TEXTS,
  response_types_supported: TEXTS,
  code_challenge_methods_supported: TEXTS,
  token_endpoint_auth_methods_supported: TEXTS,
  dpop_signing_alg_values_supported: TEXTS,
  id_token_signing_alg_values_supported: TEXTS,
  client_id_metadata_document_supported: FLAG,
  authorization_response_iss_parameter_supported: FLAG,
};

/** The members of the same metadata that are needed to verify a token. */
export const KEYS_METADATA = { issuer: required(TEXT), jwks_uri: TEXT };

/** The answer of a token endpoint (RFC 6749, section 5.1; OpenID Connect Core 1.0, section 3.1.3.3; RFC 8693, section 2.2.1). */
export const TOKEN_ANSWER = {
  access_token: required(ACCESS_TOKEN),
  token_type: required(TOKEN_TYPE),
  expires_in: SECONDS,
  refresh_token: VISIBLE,
  scope: SCOPES,
  id_token: JWT,
  issued_token_type: TOKEN_TYPE,
};

/** An error instead of it (RFC 6749, section 5.2; RFC 7591, section 3.2.2). */
export const ERROR_ANSWER = { error: ERROR_CODE, error_description: TEXT };

/** The answer to a registration (RFC 7591, section 3.2.1). */
export const REGISTRATION_ANSWER = {
  client_id: required(VISIBLE),
  client_secret: SECRET,
  client_id_issued_at: TIME,
  client_secret_expires_at: TIME,
  token_endpoint_auth_method: AUTH_METHOD,
  redirect_uris: TEXTS,
};

/** The claims of an access token (RFC 9068, section 2.2; RFC 7800, section 3.1). */
export const TOKEN_CLAIMS = {
  iss: TEXT,
  sub: SUBJECT,
  aud: AUDIENCE,
  exp: TIME,
  nbf: TIME,
  iat: TIME,
  client_id: VISIBLE,
  azp: VISIBLE,
  scope: SCOPES_OF_TOKEN,
  scp: SCOPES_OF_TOKEN,
  cnf: OBJECT,
};

/** The key that a token is bound to: only DPoP keys are checked here (RFC 9449, section 6.1). */
export const CONFIRMATION = { jkt: required(THUMBPRINT) };

/** The answer of an introspection endpoint (RFC 7662, section 2.2). */
export const INTROSPECTION_ANSWER = { active: required(FLAG), ...TOKEN_CLAIMS };

/** A set of keys (RFC 7517, section 5), and the members that are read from each key. */
export const KEY_SET = { keys: required(OBJECTS) };
export const KEY = {
  kty: required(TEXT),
  use: TEXT,
  key_ops: TEXTS,
  alg: TEXT,
  kid: TEXT,
  crv: TEXT,
  x: TEXT,
  y: TEXT,
  n: TEXT,
  e: TEXT,
};

/** The parameters with which a user comes back from a login (RFC 6749, section 4.1.2; RFC 9207, section 2). */
export const REDIRECT_PARAMETERS = {
  code: VISIBLE,
  state: VISIBLE,
  iss: TEXT,
  error: ERROR_CODE,
  error_description: TEXT,
  // Answers of other flows, which are refused.
  response: TEXT,
  id_token: TEXT,
  token: TEXT,
};
