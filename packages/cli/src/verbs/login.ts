import { credentialsFor, keyOf, openTokens } from '../session/credentials.ts';
import type { CommandLine } from '../command-line/command-line.ts';
import { withoutScheme } from '../command-line/mistakes.ts';
import { Failure, usage } from '../failure/failure.ts';
import { loginFix } from '../failure/login-fix.ts';
import { withServer, type VerbContext } from '../session/session.ts';

function parseUrl(line: CommandLine): string {
  const [first, more] = line.target ?? [];
  const mistake = first === undefined && line.words.length === 2 ? withoutScheme(line.words[1]!) : undefined;
  if (mistake !== undefined) throw mistake;
  if (first === undefined || more !== undefined || line.words.length > 1 || !/^https?:/i.test(first))
    throw usage('Which server?', `tenon ${line.words[0]} https://mcp.example.com/mcp`);
  return first;
}

/** The stored login without its secrets; undefined if there is none. */
async function shown(url: string): Promise<object | undefined> {
  const grant = await (await openTokens()).get(keyOf(url));
  if (grant?.accessToken === undefined) return undefined;
  const { issuer, scope, expiresAt, clientId, refreshToken } = grant;
  return {
    server: keyOf(url),
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
        .map(([name, one]) => `${name.padEnd(10)} ${String(one)}`)
        .join('\n'),
  });
}

/** `tenon login <url>` */
export async function login(line: CommandLine, context: VerbContext): Promise<void> {
  const url = parseUrl(line);
  const auth = await credentialsFor(line, context.screen, true);
  await withServer(
    line,
    context,
    async ({ client }) =>
      print(context, (await shown(url)) ?? { server: keyOf(url), name: client.server?.name, login: 'not needed' }),
    auth,
  );
}

/** `tenon logout <url>` */
export async function logout(line: CommandLine, context: VerbContext): Promise<void> {
  const url = parseUrl(line);
  const auth = await credentialsFor(line, context.screen, false);
  const isRevoked = await auth.logout(url);
  print(context, { server: keyOf(url), login: isRevoked ? 'revoked' : 'forgotten' });
}

/** `tenon whoami <url>` */
export async function whoami(line: CommandLine, context: VerbContext): Promise<void> {
  const url = parseUrl(line);
  const found = await shown(url);
  if (found === undefined)
    throw new Failure('auth', 'not_logged_in', `Not logged in to ${keyOf(url)}`, {
      blame: 'you',
      fix: loginFix(url),
    });
  print(context, found);
}
