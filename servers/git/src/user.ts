import process from 'node:process';
import { runGit } from './run.ts';

/** The user's global git settings that are used here. */
export interface UserSettings {
  /** Environment variables with the author and committer, for repositories that do not set them. */
  readonly identity: Readonly<Record<string, string>>;
  /** Repositories owned by other users that the user trusts. */
  readonly safe: readonly string[];
}

/** Reads the settings. Those that are not text in UTF-8 are left out, and `warn` is called with a message about them. */
export async function readUserSettings(warn: (message: string) => void): Promise<UserSettings> {
  const get = async (...what: string[]): Promise<string> => {
    const args = ['config', '--global', ...what];
    const found = await runGit(args, process.cwd(), process.env, undefined).catch(() => undefined);
    if (found?.code !== 0) return '';
    if (found.isUtf8) return found.out.trim();
    warn(`the global setting ${what.at(-1)} of git is not text in UTF-8, and is left out`);
    return '';
  };
  const [name, email, folders] = await Promise.all([
    get('--get', 'user.name'),
    get('--get', 'user.email'),
    get('--get-all', 'safe.directory'),
  ]);
  const safe = folders.split('\n').filter((line) => line !== '');
  const identity: Readonly<Record<string, string>> =
    name === '' || email === ''
      ? {}
      : { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
  return { identity, safe };
}
