import { realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { messageOf, runGit } from './run.ts';

/** The real paths of a repository's working tree and git folders. Throws an `AccessError` if one is outside of the allowed folders. */
export async function locate(
  folders: Folders,
  cwd: string,
  env: NodeJS.ProcessEnv,
  asked: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly top: string; readonly gitDir: string; readonly common: string }> {
  const none = (why = ''): AccessError => new AccessError(`There is no repository at ${asked}${why}`);
  const args = ['rev-parse', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const probe = await runGit(args, cwd, env, signal).catch((error: unknown) => {
    // The path is a file, which cannot be a working directory.
    if ((error as { cause?: { code?: string } }).cause?.code === 'ENOTDIR') throw none();
    throw error;
  });
  if (probe.code !== 0) throw none(`: ${messageOf(probe)}`);
  if (!probe.isUtf8) throw none(': its path is not UTF-8');
  const lines = probe.out.replace(/\n$/, '').split('\n');
  // A line break in a path would split it into two lines.
  if (lines.length !== 3) throw none(': its path has a line break in it');
  const places: string[] = [];
  for (const line of lines) {
    const real = await realpath(isAbsolute(line) ? line : join(cwd, line)).catch(() => undefined);
    if (real === undefined || !folders.contains(real))
      throw new AccessError(`A part of the repository at ${asked} is not in an allowed folder`);
    places.push(real);
  }
  const [top = '', gitDir = '', common = ''] = places;
  return { top, gitDir, common };
}
