import { addressOf, limitsOf, maxWaitOption } from '../../shared/api/command-options.ts';
import { tokenFromEnvironment } from '../../shared/api/token.ts';
import { run, type ServerCommand } from '../../shared/command.ts';
import { createGitlab } from './gitlab.ts';
import { TOKEN_VARIABLES } from './gitlab-client.ts';

const command: ServerCommand = {
  name: 'gitlab',
  about: 'projects, files, issues and merge requests on GitLab',
  options: {
    'api-url': { type: 'string', about: 'the address of the API of your own GitLab; also GITLAB_API_URL' },
    ...maxWaitOption('GitLab'),
    'client-id': {
      type: 'string',
      about: 'the id of an OAuth application with the device flow, to log in without a token',
    },
  },
  create: (given) =>
    createGitlab({
      url: addressOf(given, { variable: 'GITLAB_API_URL', example: 'https://gitlab.example.com/api/v4' }),
      token: tokenFromEnvironment(TOKEN_VARIABLES),
      clientId: given.text('client-id'),
      limits: limitsOf(given),
    }),
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
