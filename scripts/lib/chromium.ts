// The Chromium of this machine.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const there = (): string | undefined => [process.env['CHROMIUM'] ?? '', ...PLACES].find((path) => existsSync(path));

/** Where it is; where there is none, it is installed by apt, which needs root. Throws an error that says what to do. */
export const findChromium = (): string => {
  const found = there();
  if (found !== undefined) return found;
  console.error('Installing chromium with apt');
  const apt = (...args: string[]): void => {
    execFileSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  };
  try {
    apt('update');
    apt('install', '-y', '--no-install-recommends', 'chromium');
  } catch (error) {
    throw new Error(
      'There is no Chromium, and apt could not install one. Install it, or name it: CHROMIUM=/path/to/it',
      {
        cause: error,
      },
    );
  }
  const installed = there();
  if (installed === undefined) throw new Error('There is no Chromium, and apt did not bring one');
  return installed;
};
