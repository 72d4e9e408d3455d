import type { Target } from '@tenon/inspector';
import type { ClientAuth } from 'tenon/auth';
import type { CommandLine } from '../command-line.ts';
import type { Screen } from '../screen.ts';

/** The login that is kept for a server at a URL. Whoever gives a token of their own needs none; nobody is asked to log in here. */
export const authFor = async (
  { launch }: Target,
  line: CommandLine,
  screen: Screen,
): Promise<{ readonly auth?: ClientAuth }> => {
  if (!('url' in launch)) return {};
  if (Object.keys(launch.headers ?? {}).some((name) => name.toLowerCase() === 'authorization')) return {};
  const { credentialsFor } = await import('../credentials.ts');
  return { auth: await credentialsFor(line, screen, false) };
};
