import { addressOf, limitsOf, maxWaitOption } from '../../shared/api/command-options.ts';
import { tokenFromEnvironment } from '../../shared/api/token.ts';
import { run, type ServerCommand } from '../../shared/command.ts';
import { DEFAULT_URL, KEY_VARIABLE, SERVICE } from './brave-client.ts';
import { createBraveSearch } from './brave-search.ts';

const command: ServerCommand = {
  name: 'brave-search',
  about: 'the web and local places, found by Brave Search',
  options: {
    'api-url': { type: 'string', about: 'another address of the API; also BRAVE_API_URL' },
    ...maxWaitOption(SERVICE),
  },
  create: (given) =>
    createBraveSearch({
      url: addressOf(given, { variable: 'BRAVE_API_URL', example: DEFAULT_URL }),
      key: tokenFromEnvironment([KEY_VARIABLE]),
      limits: limitsOf(given),
    }),
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
