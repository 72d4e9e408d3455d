import process from 'node:process';
import { run, type ServerCommand } from '../../shared/command.ts';
import { Folders } from '../../shared/folders.ts';
import { createGit } from './server.ts';
import { readUserSettings } from './user.ts';

const command: ServerCommand = {
  name: 'git',
  about: 'git repositories in the folders you name',
  words: '[folder …]',
  options: {
    repository: {
      type: 'string',
      many: true,
      about: 'a repository, or a folder with repositories; default: the current folder',
    },
  },
  async create(given) {
    const named = [...given.words, ...given.all('repository')];
    const folders = await Folders.of(named.length === 0 ? [process.cwd()] : named, given.warn);
    return createGit({ folders, readUser: () => readUserSettings(given.warn) });
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
