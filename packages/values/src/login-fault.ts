/** What the server of metadata has to change. The rules about recorded logins and the errors of a login say the same. */
export const METADATA_FIX = {
  resource: 'Publish the address that clients use as "resource". Behind a proxy that is the address outside.',
  servers: 'Name the issuer of at least one authorization server.',
  issuer: 'Publish exactly the issuer from which clients build the URL of the metadata.',
  pkce: 'Publish "code_challenge_methods_supported": ["S256"].',
} as const;

/** Who is to blame for a failed login, and what to do. */
export interface LoginFault {
  readonly blame: 'server' | 'client';
  readonly fix: string | undefined;
}

/** By the step that failed, and the code of the error. */
const FAULTS: ReadonlyMap<string, LoginFault> = new Map([
  ['discovery wrong-resource', { blame: 'server', fix: METADATA_FIX.resource }],
  ['discovery wrong-issuer', { blame: 'server', fix: METADATA_FIX.issuer }],
  [
    'registration no-registration',
    {
      blame: 'server',
      fix: 'Register a client there by hand, and write its id as "clientId" into "oauth" of the server in a configuration.',
    },
  ],
  ['authorization no-pkce', { blame: 'server', fix: METADATA_FIX.pkce }],
]);

/** By the step alone. If the user does not log in, that can have many reasons. */
const BLAMES: ReadonlyMap<unknown, LoginFault['blame']> = new Map([
  ['discovery', 'server'],
  ['registration', 'server'],
  ['token', 'server'],
  ['storage', 'client'],
]);

/** The fault behind an `AuthError`. Undefined if it does not say whose it is. */
export function loginFault({
  code,
  step,
}: {
  readonly code?: unknown;
  readonly step?: unknown;
}): LoginFault | undefined {
  const blame = BLAMES.get(step);
  return FAULTS.get(`${step} ${code}`) ?? (blame === undefined ? undefined : { blame, fix: undefined });
}
