import process from 'node:process';
import { addressOf, limitsOf, maxWaitOption } from '../../shared/api/command-options.ts';
import { tokenFromEnvironment } from '../../shared/api/token.ts';
import { type ParsedArguments, run, type ServerCommand } from '../../shared/command.ts';
import { createSentry } from './sentry.ts';
import { TOKEN_VARIABLES } from './sentry-client.ts';

/** The address of the API. Its path may be left out. */
function apiOf(given: ParsedArguments): string | undefined {
  const example = 'https://sentry.example.com/api/0/';
  const address = addressOf(given, { option: 'api-base-url', variable: 'SENTRY_API_BASE_URL', example });
  return address !== undefined && new URL(address).pathname === '/' ? new URL('/api/0/', address).href : address;
}

const command: ServerCommand = {
  name: 'sentry',
  about: 'issues of Sentry with their stack traces',
  options: {
    'auth-token': {
      type: 'string',
      about: 'the token. Better is SENTRY_AUTH_TOKEN: other users of the machine can see arguments',
    },
    'api-base-url': {
      type: 'string',
      about: 'the address of the API, for a Sentry of your own; also SENTRY_API_BASE_URL',
    },
    organization: { type: 'string', about: 'the organization of issues that are given by IDs; also SENTRY_ORG' },
    ...maxWaitOption('Sentry'),
  },
  create: (given) => {
    const organization = given.text('organization') ?? (process.env['SENTRY_ORG'] || undefined);
    if (organization !== undefined && !/^[\w-]{1,100}$/.test(organization))
      throw new Error('The organization is named as in the addresses of its pages: letters, digits, - and _');
    return createSentry({
      url: apiOf(given),
      token: tokenFromEnvironment(['--auth-token', ...TOKEN_VARIABLES], {
        ...process.env,
        '--auth-token': given.text('auth-token'),
      }),
      organization,
      limits: limitsOf(given),
    });
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
