import { credentialsFor, keyOf, openTokens } from '../credentials.ts';
import type { CommandLine } from '../command-line.ts';
import { Failure, usage } from '../failure.ts';
import { withServer, type World } from '../session.ts';

const urlGiven = (line: CommandLine): string => {
  const [first, more] = line.target ?? [];
  if (first === undefined || more !== undefined || line.words.length > 1 || !/^https?:/i.test(first))
    throw usage('Which server?', `tenon ${line.words[0]} https://mcp.example.com/mcp`);
  return first;
};

/** What is kept of a login, without what is secret. */
const shown = async (url: string): Promise<object | undefined> => {
  const grant = await (await openTokens()).get(keyOf(url));
  if (grant?.accessToken === undefined) return undefined;
  const { issuer, scope, expiresAt, clientId, refreshToken } = grant;
  return {
    server: keyOf(url),
    issuer,
    ...(clientId === undefined ? {} : { clientId }),
    ...(scope === undefined ? {} : { scope }),
    ...(expiresAt === undefined ? {} : { expires: new Date(expiresAt).toISOString() }),
    refreshes: refreshToken !== undefined,
  };
};

const print = (world: World, value: object): void =>
  world.screen.result({
    json: () => JSON.stringify(value),
    text: () =>
      Object.entries(value)
        .map(([name, one]) => `${name.padEnd(10)} ${String(one)}`)
        .join('\n'),
  });

/** `tenon login <url>` */
export const login = async (line: CommandLine, world: World): Promise<void> => {
  const url = urlGiven(line);
  const auth = await credentialsFor(line, world.screen, true);
  await withServer(
    line,
    world,
    async ({ client }) =>
      print(world, (await shown(url)) ?? { server: keyOf(url), name: client.server?.name, login: 'not needed' }),
    auth,
  );
};

/** `tenon logout <url>` */
export const logout = async (line: CommandLine, world: World): Promise<void> => {
  const url = urlGiven(line);
  const auth = await credentialsFor(line, world.screen, false);
  const isRevoked = await auth.logout(url);
  print(world, { server: keyOf(url), login: isRevoked ? 'revoked' : 'forgotten' });
};

/** `tenon whoami <url>` */
export const whoami = async (line: CommandLine, world: World): Promise<void> => {
  const url = urlGiven(line);
  const found = await shown(url);
  if (found === undefined)
    throw new Failure('auth', 'not_logged_in', `Nobody has logged in at ${keyOf(url)}`, {
      blame: 'you',
      fix: `tenon login ${url}`,
    });
  print(world, found);
};
