import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { run, type ServerCommand } from '../../shared/command.ts';
import { perClient } from '../../shared/keeping.ts';
import { createWatching } from '../../shared/watching.ts';
import { type Keep, keepInFile, keepInMemory } from './keep.ts';
import { createMemory } from './memory.ts';

const dataFolder = (): string => {
  const { env, platform } = process;
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  return env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share');
};

/** The graph of a principal is a file of its own beside the one of the user of this machine. */
const ownFile = (file: string, id: string): string =>
  `${file}.${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;

const command: ServerCommand = {
  name: 'memory',
  about: 'a memory of entities, what is known about them, and how they are related',
  options: {
    file: {
      type: 'string',
      about:
        'where it is kept, as lines of JSON; MEMORY_FILE_PATH if left out, else memory.jsonl in the data folder of the user',
    },
    'no-confirm': { type: 'boolean', about: 'forget entities without asking the user' },
    shared: { type: 'boolean', about: 'with --http: everybody who reaches the port shares the one memory' },
  },
  async create(given) {
    const named = given.text('file') ?? process.env['MEMORY_FILE_PATH'];
    const file = named === undefined || named === '' ? join(dataFolder(), 'tenon', 'memory.jsonl') : resolve(named);
    const whole = keepInFile(file);
    // What cannot be read is said at once.
    await whole.read(() => {});
    const confirm = !given.has('no-confirm');
    // Other programs may share the file.
    const watch = (changed: () => void): void => createWatching(changed)(file);
    if (!given.has('http') || given.has('shared')) return createMemory(() => whole, { confirm, watch });
    const ofSession = perClient<Keep>(() => keepInMemory());
    const ofPrincipals = new Map<string, Keep>();
    return createMemory(
      (ctx) => {
        const { principal } = ctx;
        if (principal === undefined) return ofSession(ctx);
        const keep = ofPrincipals.get(principal.id) ?? keepInFile(ownFile(file, principal.id));
        ofPrincipals.set(principal.id, keep);
        return keep;
      },
      { confirm, isShared: false },
    );
  },
};

/** Runs the server with these arguments. */
export const main = (argv: readonly string[]): Promise<void> => run(command, argv);
