// Finds Chromium on this machine, for browser tests.

import { existsSync } from 'node:fs';
import process from 'node:process';
import { apt } from './apt.ts';

/** The headless shell is the same engine without windows: it starts faster and uses a third less CPU time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Debian has both packages; other systems only the second. */
const PACKAGES = ['chromium-headless-shell', 'chromium'];

function installed(): string | undefined {
  return [process.env['CHROMIUM'] ?? '', ...PLACES].find((path) => existsSync(path));
}

/** The path of Chromium. If it is missing, installs it with apt, which needs root. Throws an error that says what to do. */
export function findChromium(): string {
  const found = installed() ?? install();
  if (found !== undefined) return found;
  throw new Error(
    'Chromium was not found, and apt could not install it. Install it, or set CHROMIUM=/path/to/chromium',
  );
}

/** The path of Chromium, or the reason to skip a test. In CI tests must not be skipped, so there it throws. */
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
