import process from 'node:process';
import { run, type ServerCommand } from '../../shared/command.ts';
import { createEverything } from './everything.ts';

function numberOf(name: string, fallback: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${name} must be a positive number, not '${text}'`);
  return value;
}

const command: ServerCommand = {
  name: 'everything',
  about: 'every feature of the protocol, for testing clients',
  options: {
    env: {
      type: 'string',
      many: true,
      about: 'an environment variable that get-env may show; without this option it shows none',
    },
  },
  create: (given) =>
    createEverything({
      environment: given.all('env'),
      gzip: {
        maxBytes: numberOf('GZIP_MAX_FETCH_SIZE', 10 * 1024 * 1024),
        timeoutMs: numberOf('GZIP_MAX_FETCH_TIME_MILLIS', 30_000),
        domains: (process.env['GZIP_ALLOWED_DOMAINS'] ?? '')
          .split(',')
          .map((domain) => domain.trim().toLowerCase())
          .filter((domain) => domain !== ''),
      },
    }),
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
