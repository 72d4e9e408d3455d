import type { PageAnswer, PageRequest } from 'tenon/auth';
import { json, OAuthError } from './answers.ts';
import type { Clients } from './clients.ts';
import type { ProxyUser } from './options.ts';
import { isStale, type Provider, type ProviderTokens } from './provider.ts';
import { randomId, sha256, type Vault } from './vault.ts';

const CODE_MS = 60_000;
const ACCESS_MS = 600_000;
/** A login is over when nobody used it for so long. */
const GRANT_MS = 30 * 86_400_000;
/** A refresh token that was just used counts once more: the answer may have been lost on its way. */
const AGAIN_MS = 60_000;
const MOST_FORM = 16_000;

/** A login: who, by what program, for what, and what the provider gave for it. */
export interface Login {
  readonly user: ProxyUser;
  readonly tokens: ProviderTokens;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

interface Code {
  readonly grant: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
}

interface Refresh {
  readonly grant: string;
  readonly clientId: string;
  /** When it was used. */
  readonly usedAt?: number;
}

/** What an access token of ours says. */
export interface Access {
  readonly grant: string;
  readonly clientId: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly scopes: readonly string[];
}

/** Gives tokens for logins. They are made here, for this server, and are of no use at the provider. */
export interface Grants {
  /** Keeps a login, and gives the code for which its tokens are to be had. */
  begin(login: Login, asked: Omit<Code, 'grant'>): Promise<string>;
  token(request: PageRequest): Promise<PageAnswer>;
  revoke(request: PageRequest): Promise<PageAnswer>;
  /** What an access token says; undefined when it is none. */
  read(token: string): Promise<Access | undefined>;
  /** A token of the provider that has not run out. */
  upstream(grant: string): Promise<string | undefined>;
}

export const createGrants = (resource: string, vault: Vault, clients: Clients, provider: Provider): Grants => {
  const context = `access ${resource}`;
  const form = async (request: PageRequest): Promise<(name: string) => string> => {
    const text = await request.body(MOST_FORM);
    if (text === undefined) throw new OAuthError('invalid_request', 'The form is too large');
    const fields = new URLSearchParams(text);
    return (name) => {
      const values = fields.getAll(name);
      if (values.length > 1) throw new OAuthError('invalid_request', `\`${name}\` is there more than once`);
      return values[0] ?? '';
    };
  };
  const loginOf = async (grant: string): Promise<Login | undefined> =>
    (await vault.get('grant', grant)) as Login | undefined;

  /** Ends a login: what was given for it is worth nothing from now on. */
  const end = async (grant: string): Promise<void> => {
    await vault.mark('ended', grant, GRANT_MS);
    await vault.drop('grant', grant);
  };
  const hasEnded = (grant: string): Promise<boolean> => vault.isMarked('ended', grant);

  const flights = new Map<string, Promise<Login | undefined>>();
  /** Asks the provider for fresh tokens: once for all who want them at the same time, and on one node at a time. */
  const renewed = (grant: string, login: Login): Promise<Login | undefined> => {
    const flight =
      flights.get(grant) ??
      vault
        .alone('grant', grant, async () => {
          const now = await loginOf(grant);
          // Somebody else was faster, or ended it.
          if (now === undefined || now.tokens.accessToken !== login.tokens.accessToken) return now;
          const tokens = await provider.refresh(now.tokens, now.user);
          if (tokens === undefined) {
            await end(grant);
            return undefined;
          }
          if (await hasEnded(grant)) return undefined;
          const fresh = { ...now, tokens };
          await vault.put('grant', grant, fresh, GRANT_MS);
          return fresh;
        })
        .finally(() => flights.delete(grant));
    flights.set(grant, flight);
    return flight;
  };

  const answer = async (grant: string, { user, clientId, scopes }: Login): Promise<PageAnswer> => {
    const access: Access = { grant, clientId, subject: user.subject, claims: user.claims ?? {}, scopes };
    const refreshToken = randomId();
    await vault.put('refresh', refreshToken, { grant, clientId } satisfies Refresh, GRANT_MS);
    return json(200, {
      access_token: await vault.sealer.seal(access, context, ACCESS_MS),
      token_type: 'Bearer',
      expires_in: ACCESS_MS / 1_000,
      refresh_token: refreshToken,
      scope: scopes.join(' '),
    });
  };

  const forCode = async (field: (name: string) => string): Promise<PageAnswer> => {
    const id = field('code');
    const code = (await vault.get('code', id)) as Code | undefined;
    if (code === undefined) throw new OAuthError('invalid_grant', 'The code is not valid, or too old');
    const isFirst = await vault.mark('code', id, CODE_MS * 2);
    if (!isFirst) {
      // Somebody else has it: what was given for it is taken back (OAuth 2.1, section 4.1.3).
      await end(code.grant);
      throw new OAuthError('invalid_grant', 'The code was used before');
    }
    const matches =
      code.clientId === field('client_id') &&
      code.redirectUri === field('redirect_uri') &&
      code.challenge === (await sha256(field('code_verifier')));
    const login = matches ? await loginOf(code.grant) : undefined;
    if (login === undefined) {
      await end(code.grant);
      throw new OAuthError('invalid_grant', 'The code is for another program, address or verifier');
    }
    return answer(code.grant, login);
  };

  const forRefreshToken = async (field: (name: string) => string): Promise<PageAnswer> => {
    const id = field('refresh_token');
    const refresh = (await vault.get('refresh', id)) as Refresh | undefined;
    const login = refresh === undefined ? undefined : await loginOf(refresh.grant);
    if (refresh === undefined || login === undefined || refresh.clientId !== field('client_id'))
      throw new OAuthError('invalid_grant', 'The refresh token is not valid any more');
    if (refresh.usedAt !== undefined && refresh.usedAt + AGAIN_MS < Date.now()) {
      await end(refresh.grant);
      throw new OAuthError('invalid_grant', 'The refresh token was used before: somebody else may have it');
    }
    // Whoever is no longer welcome at the provider is not welcome here.
    const fresh = await renewed(refresh.grant, login);
    if (fresh === undefined) throw new OAuthError('invalid_grant', 'The login at the provider is over');
    // Spent only now that there is something for it: whoever has got nothing may try again.
    if (refresh.usedAt === undefined) await vault.put('refresh', id, { ...refresh, usedAt: Date.now() }, GRANT_MS);
    return answer(refresh.grant, fresh);
  };

  const kinds: ReadonlyMap<string, (field: (name: string) => string) => Promise<PageAnswer>> = new Map([
    ['authorization_code', forCode],
    ['refresh_token', forRefreshToken],
  ]);

  return {
    async begin(login, { clientId, redirectUri, challenge }) {
      const grant = randomId();
      const code = randomId();
      await vault.put('grant', grant, login, GRANT_MS);
      await vault.put('code', code, { grant, clientId, redirectUri, challenge } satisfies Code, CODE_MS);
      return code;
    },
    async token(request) {
      const field = await form(request);
      const kind = kinds.get(field('grant_type'));
      if (kind === undefined)
        throw new OAuthError('unsupported_grant_type', '`grant_type` is `authorization_code` or `refresh_token`');
      const wanted = field('resource');
      if (wanted !== '' && wanted !== resource)
        throw new OAuthError('invalid_target', `Tokens are only to be had for ${resource}`);
      if ((await clients.find(field('client_id'))) === undefined)
        throw new OAuthError('invalid_client', 'This program is not registered here, or no longer', 401);
      return kind(field);
    },
    async revoke(request) {
      const field = await form(request);
      const token = field('token');
      const found =
        ((await vault.get('refresh', token)) as Refresh | undefined) ??
        ((await vault.sealer.open(token, context)) as Access | undefined);
      if (found !== undefined && found.clientId === field('client_id')) await end(found.grant);
      // RFC 7009, section 2.2: the same for tokens that never were.
      return json(200, {});
    },
    async read(token) {
      const access = (await vault.sealer.open(token, context)) as Access | undefined;
      return access === undefined || (await hasEnded(access.grant)) ? undefined : access;
    },
    async upstream(grant) {
      const login = await loginOf(grant);
      if (login === undefined) return undefined;
      if (!isStale(login.tokens)) return login.tokens.accessToken;
      return (await renewed(grant, login))?.tokens.accessToken;
    },
  };
};
