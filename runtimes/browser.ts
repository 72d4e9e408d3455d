// The browser of this machine, without a window.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';

/** What is used of playwright-core. */
export interface Page {
  goto(url: string): Promise<unknown>;
  title(): Promise<string>;
  url(): string;
  textContent(selector: string): Promise<string | null>;
  click(selector: string): Promise<void>;
  waitForFunction(script: string): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
}

interface Chromium {
  launch(options: { executablePath: string; args: string[] }): Promise<{
    newPage(): Promise<Page>;
    close(): Promise<void>;
  }>;
}

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where it is; where there is none, it is installed as root by apt. */
const findBrowser = (): string => {
  const there = BROWSERS.find((path) => existsSync(path));
  if (there !== undefined) return there;
  console.log('Installing chromium with apt');
  const apt = (...args: string[]): void => {
    execFileSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  };
  apt('update');
  apt('install', '-y', '--no-install-recommends', 'chromium');
  const installed = BROWSERS.find((path) => existsSync(path));
  if (installed === undefined) throw new Error('There is no chromium, and apt did not bring one');
  return installed;
};

export const launchBrowser = async (): ReturnType<Chromium['launch']> => {
  const place = new URL('node_modules/playwright-core/index.mjs', import.meta.url).href;
  const { chromium } = (await import(place)) as { chromium: Chromium };
  return chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
};
