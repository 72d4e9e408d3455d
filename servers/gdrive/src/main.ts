import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { expandHome } from '@tenon/values/node/expand-home';
import { addressOf, limitsOf, maxWaitOption } from '../../shared/api/command-options.ts';
import { run, type ServerCommand } from '../../shared/command.ts';
import { createGdrive } from './gdrive.ts';
import { GOOGLE, googleAt, SERVICE } from './google.ts';
import { CREDENTIALS_VARIABLE, KEYS_VARIABLE } from './login-files.ts';

/** The path in a variable, or a file in the home folder. */
function pathIn(variable: string, file: string): string {
  const given = process.env[variable]?.trim() ?? '';
  return given === '' ? join(homedir(), file) : resolve(expandHome(given));
}

const command: ServerCommand = {
  name: 'gdrive',
  about: 'files of Google Drive, to search and read. With the word auth, it logs in with the browser',
  words: '[auth]',
  options: {
    ...maxWaitOption(SERVICE),
    'google-url': { type: 'string', about: 'an address to use in place of those of Google, for tests' },
  },
  async create(given) {
    const url = addressOf(given, { option: 'google-url', example: 'http://127.0.0.1:3000' });
    const google = url === undefined ? GOOGLE : googleAt(url);
    const files = {
      keys: pathIn(KEYS_VARIABLE, 'gcp-oauth.keys.json'),
      credentials: pathIn(CREDENTIALS_VARIABLE, '.gdrive-server-credentials.json'),
    };
    const [word, ...more] = given.words;
    if (word === undefined)
      return createGdrive({ files, google, limits: limitsOf(given), mayLogIn: given.text('http') === undefined });
    if (word !== 'auth' || more.length > 0) throw new Error(`'${[word, ...more].join(' ')}' is not known`);
    const { loopback } = await import('tenon/auth');
    const { logIn } = await import('./log-in.ts');
    await logIn({ files, google }, loopback());
    process.stderr.write(`Logged in. The credentials are in ${files.credentials}\n`);
    return undefined;
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
