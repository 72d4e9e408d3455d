import process from 'node:process';
import { runGit } from './run.ts';

/** The user's global git settings that are used here. */
export interface UserSettings {
  /** Environment variables with the author and committer, for repositories that do not set them. */
  readonly identity: Readonly<Record<string, string>>;
  /** Repositories owned by other users that the user trusts. */
  readonly safe: readonly string[];
}

export async function readUserSettings(): Promise<UserSettings> {
  const get = async (...what: string[]): Promise<string> => {
    const args = ['config', '--global', ...what];
    const found = await runGit(args, process.cwd(), process.env, undefined).catch(() => undefined);
    return found?.code === 0 ? found.out.trim() : '';
  };
  const [name, email] = [await get('--get', 'user.name'), await get('--get', 'user.email')];
  const safe = (await get('--get-all', 'safe.directory')).split('\n').filter((line) => line !== '');
  const identity: Readonly<Record<string, string>> =
    name === '' || email === ''
      ? {}
      : { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
  return { identity, safe };
}
