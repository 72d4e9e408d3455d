import type { Browser } from 'tenon/auth';
import type { Google } from './google.ts';
import { createGoogleLogin } from './google-login.ts';
import { type LoginFiles, readKeys, writeCredentials } from './login-files.ts';

/** Takes the user through a login, and stores the credentials. */
export async function logIn(
  { files, google }: { readonly files: LoginFiles; readonly google: Google },
  browser: Browser,
): Promise<void> {
  const login = await createGoogleLogin(google, await readKeys(files));
  await writeCredentials(files, await login.logIn(browser));
}
