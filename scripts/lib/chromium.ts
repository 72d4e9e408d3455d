// The Chromium of this machine, for tests in a browser.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';

/** The headless shell is the same engine without windows: it starts faster and takes a third less of the processor. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Debian has both; other systems only the second. */
const PACKAGES = ['chromium-headless-shell', 'chromium'];

function installed(): string | undefined {
  return [process.env['CHROMIUM'] ?? '', ...PLACES].find((path) => existsSync(path));
}

/** The path of Chromium. Installs it with apt, which needs root, where there is none. Throws an error that says what to do. */
export function findChromium(): string {
  const found = installed() ?? install();
  if (found !== undefined) return found;
  throw new Error(
    'There is no Chromium, and apt could not install one. Install it, or name it: CHROMIUM=/path/to/chromium',
  );
}

/** Where Chromium is, or why a test has to do without. In CI there is no doing without: then it throws. */
export function browserForTests(): { readonly path: string } | { readonly missing: string } {
  try {
    return { path: findChromium() };
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    return { missing: (error as Error).message };
  }
}

function install(): string | undefined {
  console.error('Installing Chromium with apt');
  apt('update');
  for (const name of PACKAGES) if (apt('install', '-y', '--no-install-recommends', name)) break;
  return installed();
}

function apt(...args: string[]): boolean {
  try {
    execFileSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    return true;
  } catch (error) {
    console.error(`apt-get ${args.join(' ')}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
