import process from 'node:process';
import { type ParsedArguments, run, type ServerCommand } from '../../shared/command.ts';
import { parseAddress } from './address.ts';
import { createPostgres } from './postgres.ts';

/** The largest result that is allowed, in bytes: it is sent as text and as structured content, and some clients accept only 10 MiB. */
const MOST_BYTES = 3 * 1024 * 1024;

function numberOf(given: ParsedArguments, name: string, most: number): number | undefined {
  const text = given.text(name);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw new Error(`--${name} takes a number from 1 to ${most}, not '${text}'`);
  return value;
}

const command: ServerCommand = {
  name: 'postgres',
  about: 'read-only queries of a PostgreSQL database',
  words: '<database URL>',
  options: {
    timeout: { type: 'string', about: 'how long a query may take, in seconds; default: 30' },
    'max-rows': { type: 'string', about: 'how many rows a result may have; default: 1000' },
    'max-bytes': { type: 'string', about: 'how long the rows of a result may be as JSON; default: 1048576' },
    'allow-privileged-role': {
      type: 'boolean',
      about: 'accept a role that can do more than a read-only transaction contains, such as a superuser',
    },
  },
  create(given) {
    const [url, ...more] = given.words;
    if (url === undefined) throw new Error('Please provide a database URL as a command-line argument');
    if (more.length > 0) throw new Error('There is one database URL');
    return createPostgres({
      address: parseAddress(url, process.env),
      timeout: numberOf(given, 'timeout', 3_600),
      maxRows: numberOf(given, 'max-rows', 100_000),
      maxBytes: numberOf(given, 'max-bytes', MOST_BYTES),
      allowPrivilegedRole: given.has('allow-privileged-role'),
      warn: (message) => given.warn(message),
    });
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
