import { run, type ServerCommand } from '../../shared/command.ts';
import { createFetch } from './fetch.ts';

const command: ServerCommand = {
  name: 'fetch',
  about: 'pages of the web as Markdown',
  options: {
    'user-agent': { type: 'string', about: 'what is told sites' },
    'ignore-robots-txt': { type: 'boolean', about: 'read pages that sites do not want programs to read' },
    'allow-host': {
      type: 'string',
      many: true,
      about: 'reach this host wherever it is, such as localhost:8080; everything else has to be on the internet',
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
export const main = (argv: readonly string[]): Promise<void> => run(command, argv);
