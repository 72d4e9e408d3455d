import type { Target } from '@tenon/inspector';
import type { ClientAuth } from 'tenon/auth';
import { type CommandLine, numberGiven } from '../command-line.ts';
import type { Screen } from '../screen.ts';
import { version } from '../version.ts';

/** The login that is kept for a server at a URL. Whoever gives a token of their own needs none; nobody is asked to log in here. */
const authFor = async ({ launch }: Target, line: CommandLine, screen: Screen): Promise<ClientAuth | undefined> => {
  if (!('url' in launch)) return undefined;
  if (Object.keys(launch.headers ?? {}).some((name) => name.toLowerCase() === 'authorization')) return undefined;
  const { credentialsFor } = await import('../credentials.ts');
  return credentialsFor(line, screen, false);
};

/** How a server is looked at by a verb: what the options of the command line say of it. */
export const aloneGiven = async (
  target: Target,
  line: CommandLine,
  screen: Screen,
): Promise<{
  readonly by: string;
  readonly file?: string;
  readonly timeoutMs?: number;
  readonly auth?: ClientAuth;
}> => {
  const file = line.value('output');
  const timeoutMs = numberGiven(line, 'timeout');
  const auth = await authFor(target, line, screen);
  return {
    by: `tenon ${version()}`,
    ...(file === undefined ? {} : { file }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(auth === undefined ? {} : { auth }),
  };
};
