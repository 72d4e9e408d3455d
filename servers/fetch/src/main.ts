import { run, type ServerCommand } from '../../shared/command.ts';
import { createFetch } from './fetch.ts';

const command: ServerCommand = {
  name: 'fetch',
  about: 'web pages as Markdown',
  options: {
    'user-agent': { type: 'string', about: 'the User-Agent header for requests' },
    'ignore-robots-txt': { type: 'boolean', about: 'read pages that robots.txt disallows' },
    'allow-host': {
      type: 'string',
      many: true,
      about: 'allow a host with a private address, such as localhost:8080; all other hosts must be on the internet',
    },
  },
  create: (given) =>
    createFetch({
      userAgent: given.text('user-agent'),
      ignoreRobots: given.has('ignore-robots-txt'),
      hosts: given.all('allow-host'),
    }),
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
