import process from 'node:process';
import { run, type ServerCommand } from '../../shared/command.ts';
import { parseAddress } from '@tenon/values/postgres-address';
import { createPostgres } from './postgres.ts';

/** The largest result that is allowed, in bytes: it is sent as text and as structured content, and some clients accept only 10 MiB. */
const MOST_BYTES = 3 * 1024 * 1024;

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
      timeout: given.number('timeout', [1, 3_600]),
      maxRows: given.number('max-rows', [1, 100_000]),
      maxBytes: given.number('max-bytes', [1, MOST_BYTES]),
      allowPrivilegedRole: given.has('allow-privileged-role'),
      warn: (message) => given.warn(message),
    });
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
