import { addressOf, limitsOf, maxWaitOption } from '../../shared/api/command-options.ts';
import { tokenFromEnvironment } from '../../shared/api/token.ts';
import { run, type ServerCommand } from '../../shared/command.ts';
import { createGoogleMaps } from './google-maps.ts';
import { DEFAULT_URL, KEY_VARIABLE, SERVICE } from './maps-client.ts';

const command: ServerCommand = {
  name: 'google-maps',
  about: 'places, addresses, distances, elevations and directions of Google Maps',
  options: {
    'api-url': { type: 'string', about: 'another address of the services; also GOOGLE_MAPS_API_URL' },
    ...maxWaitOption(SERVICE),
  },
  create: (given) =>
    createGoogleMaps({
      url: addressOf(given, { variable: 'GOOGLE_MAPS_API_URL', example: DEFAULT_URL }),
      key: tokenFromEnvironment([KEY_VARIABLE]),
      limits: limitsOf(given),
    }),
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
