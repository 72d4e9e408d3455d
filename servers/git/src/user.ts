import process from 'node:process';
import { spawned } from './run.ts';

/** What the user has told git once and for all, as far as it is used here. */
export interface UserSettings {
  /** Environment that says who commits, where the repository does not. */
  readonly identity: Readonly<Record<string, string>>;
  /** Repositories of others that the user trusts. */
  readonly safe: readonly string[];
}

export const readUserSettings = async (): Promise<UserSettings> => {
  const get = async (...what: string[]): Promise<string> => {
    const args = ['config', '--global', ...what];
    const found = await spawned(args, process.cwd(), process.env, undefined).catch(() => undefined);
    return found?.code === 0 ? found.out.trim() : '';
  };
  const [name, email] = [await get('--get', 'user.name'), await get('--get', 'user.email')];
  const safe = (await get('--get-all', 'safe.directory')).split('\n').filter((line) => line !== '');
  const identity: Readonly<Record<string, string>> =
    name === '' || email === ''
      ? {}
      : { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
  return { identity, safe };
};
