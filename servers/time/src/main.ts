import { run, type ServerCommand } from '../../shared/command.ts';
import { createTime } from './time.ts';

const command: ServerCommand = {
  name: 'time',
  about: 'the time in any zone, and what a time there is here',
  options: {
    'local-timezone': {
      type: 'string',
      about: 'the zone of the user, such as Europe/Berlin; that of the machine if left out',
    },
  },
  create: (given) => createTime({ localTimezone: given.text('local-timezone') }),
};

/** Runs the server with these arguments. */
export const main = (argv: readonly string[]): Promise<void> => run(command, argv);
