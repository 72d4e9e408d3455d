import process from 'node:process';
import { tokenFromEnvironment } from '../../shared/api/token.ts';
import { type ParsedArguments, run, type ServerCommand } from '../../shared/command.ts';
import { createGithub } from './github.ts';
import { TOKEN_VARIABLES } from './github-client.ts';

function addressOf(given: ParsedArguments): string | undefined {
  const text = given.text('api-url') ?? (process.env['GITHUB_API_URL'] || undefined);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!/^https?:$/.test(url?.protocol ?? '') || url!.username !== '' || url!.search !== '' || url!.hash !== '')
    throw new Error('The address of the API must be like https://github.example.com/api/v3');
  return url!.href;
}

const command: ServerCommand = {
  name: 'github',
  about: 'repositories, files, issues and pull requests on GitHub',
  options: {
    'api-url': { type: 'string', about: 'the address of the API, for GitHub Enterprise; also GITHUB_API_URL' },
    'max-wait': {
      type: 'string',
      about: 'how long a request may wait for a limit of GitHub, in seconds; default: 300',
    },
    'client-id': {
      type: 'string',
      about: 'the client id of an OAuth app with the device flow, to log in without a token',
    },
    'no-confirm': { type: 'boolean', about: 'merge pull requests without asking the user' },
  },
  create: (given) => {
    const maxWait = given.number('max-wait', [0, 86_400]);
    return createGithub({
      url: addressOf(given),
      token: tokenFromEnvironment(TOKEN_VARIABLES),
      clientId: given.text('client-id'),
      // Absent, not undefined: undefined would replace the default.
      limits: { ...(maxWait !== undefined && { maxWaitMs: maxWait * 1_000 }) },
      confirm: !given.has('no-confirm'),
    });
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
