import { run, type ServerCommand } from '../../shared/command.ts';
import { createFilesystem } from './filesystem.ts';
import { Folders } from '../../shared/folders.ts';

const command: ServerCommand = {
  name: 'filesystem',
  about: 'files in the folders you name, and nowhere else',
  words: '[folder …]',
  options: {
    'allow-hard-links': { type: 'boolean', about: 'use files with several hard links, perhaps outside of the folders' },
    'no-confirm': { type: 'boolean', about: 'overwrite files without asking the user' },
  },
  async create(given) {
    const folders = await Folders.of(given.words, given.warn);
    // Over HTTP any client could choose the folders by its roots.
    if (given.has('http') && given.words.length === 0) throw new Error('over HTTP at least one folder must be named');
    return createFilesystem({
      folders,
      hardLinks: given.has('allow-hard-links'),
      confirm: !given.has('no-confirm'),
    });
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
