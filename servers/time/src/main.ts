import { run, type ServerCommand } from '../../shared/command.ts';
import { createTime } from './time.ts';

const command: ServerCommand = {
  name: 'time',
  about: 'the time in any zone, and conversion between zones',
  options: {
    'local-timezone': {
      type: 'string',
      about: 'the zone of the user, such as Europe/Berlin; default: that of the machine',
    },
  },
  create: (given) => createTime({ localTimezone: given.text('local-timezone') }),
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
