import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { run, type ServerCommand } from '../../shared/command.ts';
import { perClient } from '../../shared/per-client.ts';
import { createFileWatcher } from '../../shared/file-watcher.ts';
import { type GraphStore, createFileStore, createMemoryStore } from './graph-store.ts';
import { createMemory } from './memory.ts';

function dataFolder(): string {
  const { env, platform } = process;
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  return env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share');
}

/** The file for the graph of a principal, beside the file of the local user. */
function ownFile(file: string, id: string): string {
  return `${file}.${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

const command: ServerCommand = {
  name: 'memory',
  about: 'a knowledge graph: entities, observations about them, and relations',
  options: {
    file: {
      type: 'string',
      about:
        'the file of the graph, as lines of JSON; default: MEMORY_FILE_PATH, or memory.jsonl in the data folder of the user',
    },
    'no-confirm': { type: 'boolean', about: 'delete entities without asking the user' },
    shared: { type: 'boolean', about: 'with --http: all clients of the port share one graph' },
  },
  async create(given) {
    const named = given.text('file') ?? process.env['MEMORY_FILE_PATH'];
    const file = named === undefined || named === '' ? join(dataFolder(), 'tenon', 'memory.jsonl') : resolve(named);
    const whole = createFileStore(file);
    // Fail at the start if the file cannot be read.
    await whole.read(() => {});
    const confirm = !given.has('no-confirm');
    // Other programs may share the file.
    const watch = (changed: () => void): void => createFileWatcher(changed)(file);
    if (!given.has('http') || given.has('shared')) return createMemory(() => whole, { confirm, watch });
    const ofSession = perClient<GraphStore>(() => createMemoryStore());
    const ofPrincipals = new Map<string, GraphStore>();
    return createMemory(
      (ctx) => {
        const { principal } = ctx;
        if (principal === undefined) return ofSession(ctx);
        const store = ofPrincipals.get(principal.id) ?? createFileStore(ownFile(file, principal.id));
        ofPrincipals.set(principal.id, store);
        return store;
      },
      { confirm, isShared: false },
    );
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
