import { run, type ServerCommand } from '../../shared/command.ts';
import { createSequentialThinking } from './sequential-thinking.ts';

const command: ServerCommand = {
  name: 'sequential-thinking',
  about: 'a chain of thoughts that can be revised and branched',
  create: () => createSequentialThinking(),
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
