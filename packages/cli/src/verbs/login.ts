import type { Login } from '@tenon/host';
import type { ClientAuth, OAuth } from 'tenon/auth';
import { scopesMissing } from '../failure/scopes.ts';
import { credentialsFor, scopesOf, serverOf, storedLogin } from '../session/credentials.ts';
import type { CommandLine } from '../command-line/command-line.ts';
import { withoutScheme } from '../command-line/mistakes.ts';
import { loginWords } from '../command-line/server-command.ts';
import { Failure, usage } from '../failure/failure.ts';
import { loginFix } from '../failure/login-fix.ts';
import { withServer, type VerbContext } from '../session/session.ts';

/** A server at a URL, and the login settings of its configuration. */
interface LoginTarget {
  readonly url: string;
  readonly login: Login | undefined;
}

/** The server, which the command line or a configuration names. */
function parseTarget(line: CommandLine): LoginTarget {
  const verb = line.words[0]!;
  if (line.server !== undefined && line.words.length === 1) {
    const { target } = line.server;
    if ('url' in target) return { url: target.url, login: target.login };
    throw usage('This server is a command, and only servers at a URL have logins');
  }
  const [first, more] = line.target ?? [];
  const mistake = first === undefined && line.words.length === 2 ? withoutScheme(line.words[1]!) : undefined;
  if (mistake !== undefined) throw mistake;
  if (first === undefined || more !== undefined || line.words.length > 1 || !/^https?:/i.test(first))
    throw usage('Which server?', `tenon ${verb} https://mcp.example.com/mcp, or its name in a configuration`);
  return { url: first, login: undefined };
}

/** The stored login without its secrets; undefined if there is none. */
async function shown({ url, login }: LoginTarget): Promise<object | undefined> {
  const grant = await storedLogin(url, login);
  if (grant?.accessToken === undefined) return undefined;
  const { issuer, subject, scope, expiresAt, clientId, refreshToken } = grant;
  return {
    server: serverOf(url),
    user: subject,
    issuer,
    clientId,
    scope,
    expires: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    refreshes: refreshToken !== undefined,
  };
}

function print(context: VerbContext, value: object): void {
  context.screen.result({
    json: () => JSON.stringify(value),
    text: () =>
      Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([name, one]) => `${name.padEnd(10)} ${String(one)}`)
        .join('\n'),
  });
}

/** The scopes that the stored login does not have. */
async function missingScopes({ url, login }: LoginTarget, scopes: readonly string[]): Promise<readonly string[]> {
  return scopesMissing(scopes, (await storedLogin(url, login))?.scope);
}

/**
 * Credentials that log in again, with more scopes. The first request is sent without a token, because the challenge of its answer says where
 * the metadata are. The old login stays as it is until the new one is complete.
 */
function withMoreScopes(auth: OAuth, scopes: readonly string[]): ClientAuth {
  let isRefused = false;
  return {
    credentials: (request) => (isRefused ? auth.credentials(request) : {}),
    async challenged(refusal) {
      if (isRefused) return auth.challenged(refusal);
      isRefused = true;
      const metadata = /\bresource_metadata="[^"]*"/.exec(refusal.challenge ?? '')?.[0];
      const challenge = [`Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`, metadata];
      return auth.challenged({
        ...refusal,
        status: 403,
        sent: await auth.credentials(refusal),
        challenge: challenge.filter((part) => part !== undefined).join(', '),
      });
    },
  };
}

/** `tenon login <server>` */
export async function login(line: CommandLine, context: VerbContext): Promise<void> {
  const target = parseTarget(line);
  const scopes = [...(target.login?.scopes ?? []), ...scopesOf(line)];
  const isStored = (await shown(target)) !== undefined;
  const needsMore = isStored && (await missingScopes(target, scopes)).length > 0;
  await withServer(
    line,
    context,
    async ({ client }) => {
      const found = await shown(target);
      const missing = found === undefined ? [] : await missingScopes(target, scopes);
      if (missing.length > 0) context.screen.warn(`The authorization server did not grant ${missing.join(', ')}`);
      print(context, found ?? { server: serverOf(target.url), name: client.server?.name, login: 'not needed' });
    },
    async (wrapFetch) => {
      const auth = await credentialsFor(line, context.screen, true, { ...target.login, wrapFetch });
      return needsMore ? withMoreScopes(auth, scopes) : auth;
    },
  );
}

/** `tenon logout <server>` */
export async function logout(line: CommandLine, context: VerbContext): Promise<void> {
  const { url, login } = parseTarget(line);
  const auth = await credentialsFor(line, context.screen, false, login);
  const isRevoked = await auth.logout(url);
  print(context, { server: serverOf(url), login: isRevoked ? 'revoked' : 'forgotten' });
}

/** `tenon whoami <server>` */
export async function whoami(line: CommandLine, context: VerbContext): Promise<void> {
  const target = parseTarget(line);
  const found = await shown(target);
  if (found === undefined)
    throw new Failure('auth', 'not_logged_in', `Not logged in to ${serverOf(target.url)}`, {
      blame: 'you',
      fix: loginFix(loginWords(line, target.url)),
    });
  print(context, found);
}
