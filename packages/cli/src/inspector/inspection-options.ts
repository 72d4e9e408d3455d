import type { Target } from '@tenon/inspector';
import type { ClientAuth } from 'tenon/auth';
import { type CommandLine, parseNumberOption } from '../command-line/command-line.ts';
import type { Screen } from '../terminal/screen.ts';
import { version } from '../version.ts';

/** The stored login for a server at a URL, unless `--header` carries a token. Never starts a login. */
async function authFor({ launch }: Target, line: CommandLine, screen: Screen): Promise<ClientAuth | undefined> {
  if (!('url' in launch)) return undefined;
  if (Object.keys(launch.headers ?? {}).some((name) => name.toLowerCase() === 'authorization')) return undefined;
  const { credentialsFor } = await import('../session/credentials.ts');
  return credentialsFor(line, screen, false);
}

/** The options of the command line for verbs that inspect one server. */
export async function inspectionOptions(
  target: Target,
  line: CommandLine,
  screen: Screen,
): Promise<{
  readonly by: string;
  readonly file?: string;
  readonly timeoutMs?: number;
  readonly auth?: ClientAuth;
}> {
  const file = line.value('output');
  const timeoutMs = parseNumberOption(line, 'timeout');
  const auth = await authFor(target, line, screen);
  return {
    by: `tenon ${version()}`,
    file,
    timeoutMs,
    auth,
  };
}
