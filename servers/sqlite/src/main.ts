import process from 'node:process';
import { run, type ServerCommand } from '../../shared/command.ts';
import { createDatabase } from './database.ts';
import { findDatabase } from './database-path.ts';
import { createSqlite } from './server.ts';

const DEFAULT_PATH = './sqlite_mcp_server.db';

/** The first versions of `node:sqlite` that name the columns of a result, which may have the same name twice. */
function hasSqlite([major = 0, minor = 0]: readonly number[]): boolean {
  return major >= 24 || (major === 23 && minor >= 11) || (major === 22 && minor >= 16);
}

const command: ServerCommand = {
  name: 'sqlite',
  about: 'a SQLite database, read-only unless you allow writing',
  options: {
    'db-path': { type: 'string', about: `the file of the database; default: ${DEFAULT_PATH}` },
    write: { type: 'boolean', about: 'offer the tools write_query and create_table; a missing file is created' },
    'no-confirm': { type: 'boolean', about: 'drop tables and delete all rows of a table without asking the user' },
    timeout: { type: 'string', about: 'how many seconds a statement may take; default: 30' },
    'max-rows': { type: 'string', about: 'how many rows a result may have; default: 1000' },
    'max-bytes': { type: 'string', about: 'how many bytes the rows of a result may have; default: 100000' },
  },
  create(given) {
    if (!hasSqlite(process.versions.node.split('.').map(Number)))
      throw new Error(`it needs Node 22.16 or newer, and this is Node ${process.versions.node}`);
    const isWritable = given.has('write');
    const database = createDatabase({
      file: findDatabase(given.text('db-path') ?? DEFAULT_PATH, isWritable),
      maxMs: (given.number('timeout', [0.1, 3_600]) ?? 30) * 1_000,
      limits: {
        maxRows: given.number('max-rows', [1, 100_000]) ?? 1_000,
        maxBytes: given.number('max-bytes', [1_000, 3_000_000]) ?? 100_000,
      },
    });
    return createSqlite({ database, isWritable, confirm: !given.has('no-confirm') });
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
