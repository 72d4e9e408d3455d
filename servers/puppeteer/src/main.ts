import { existsSync } from 'node:fs';
import process from 'node:process';
import { type ParsedArguments, run, type ServerCommand } from '../../shared/command.ts';
import { DEFAULT_LAUNCH, type Launch, readUserOptions } from './launch-options.ts';
import { createPuppeteer } from './puppeteer.ts';

function launchOf(given: ParsedArguments, allowsDangerous: boolean): Launch {
  const executablePath = given.text('browser') ?? (process.env['PUPPETEER_EXECUTABLE_PATH'] || undefined);
  const base: Launch = { ...DEFAULT_LAUNCH, headless: !given.has('headed'), executablePath };
  const text = process.env['PUPPETEER_LAUNCH_OPTIONS'] ?? '';
  const launch = text === '' ? base : readUserOptions(text, base, { allowsDangerous });
  if (launch.executablePath !== undefined && !existsSync(launch.executablePath))
    throw new Error(`There is no browser at ${launch.executablePath}`);
  return launch;
}

const command: ServerCommand = {
  name: 'puppeteer',
  about: 'web pages in a browser: navigation, screenshots, clicks, forms and scripts',
  options: {
    'allow-origin': {
      type: 'string',
      many: true,
      about:
        'an origin that pages may connect to, such as http://localhost:3000 or https://*.example.com; * is the whole internet, which is the default',
    },
    browser: { type: 'string', about: 'the path of Chrome or Chromium; also PUPPETEER_EXECUTABLE_PATH' },
    headed: { type: 'boolean', about: 'show the window of the browser' },
    timeout: { type: 'string', about: 'the limit of a navigation and of a script, in seconds; default: 30' },
    'allow-dangerous': {
      type: 'boolean',
      about: 'allow launch options of the model that reduce security; also ALLOW_DANGEROUS=true',
    },
  },
  create(given) {
    const allowsDangerous = given.has('allow-dangerous') || process.env['ALLOW_DANGEROUS'] === 'true';
    const origins = given.all('allow-origin');
    const seconds = given.number('timeout', [1, 600]) ?? 30;
    return createPuppeteer({
      launch: launchOf(given, allowsDangerous),
      origins: origins.length === 0 ? ['*'] : origins,
      allowsDangerous,
      timeoutMs: seconds * 1_000,
      warn: (message) => given.warn(message),
    });
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
