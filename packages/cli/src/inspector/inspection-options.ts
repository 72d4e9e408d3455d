import type { IsolatedServerOptions, Target } from '@tenon/inspector';
import { type CommandLine, parseNumberOption } from '../command-line/command-line.ts';
import type { Screen } from '../terminal/screen.ts';
import { version } from '../version.ts';

/** The stored login for a server at a URL, unless `--header` carries a token. Never starts a login. */
async function authFor({ launch }: Target, line: CommandLine, screen: Screen): Promise<IsolatedServerOptions['auth']> {
  if (!('url' in launch)) return undefined;
  if (Object.keys(launch.headers ?? {}).some((name) => name.toLowerCase() === 'authorization')) return undefined;
  const { credentialsMaker } = await import('../session/credentials.ts');
  const make = await credentialsMaker(line, screen, false);
  return (wrapFetch) => make({ ...launch.login, wrapFetch });
}

/** The options of the command line for verbs that inspect one server. */
export async function inspectionOptions(
  target: Target,
  line: CommandLine,
  screen: Screen,
): Promise<Pick<IsolatedServerOptions, 'by' | 'file' | 'timeoutMs' | 'auth'>> {
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
