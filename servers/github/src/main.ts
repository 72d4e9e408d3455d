import { addressOf, limitsOf, maxWaitOption } from '../../shared/api/command-options.ts';
import { tokenFromEnvironment } from '../../shared/api/token.ts';
import { run, type ServerCommand } from '../../shared/command.ts';
import { createGithub } from './github.ts';
import { TOKEN_VARIABLES } from './github-client.ts';

const command: ServerCommand = {
  name: 'github',
  about: 'repositories, files, issues and pull requests on GitHub',
  options: {
    'api-url': { type: 'string', about: 'the address of the API, for GitHub Enterprise; also GITHUB_API_URL' },
    ...maxWaitOption('GitHub'),
    'client-id': {
      type: 'string',
      about: 'the client id of an OAuth app with the device flow, to log in without a token',
    },
    'no-confirm': { type: 'boolean', about: 'merge pull requests without asking the user' },
  },
  create: (given) =>
    createGithub({
      url: addressOf(given, { variable: 'GITHUB_API_URL', example: 'https://github.example.com/api/v3' }),
      token: tokenFromEnvironment(TOKEN_VARIABLES),
      clientId: given.text('client-id'),
      limits: limitsOf(given),
      confirm: !given.has('no-confirm'),
    }),
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
