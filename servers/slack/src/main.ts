import process from 'node:process';
import { addressOf, limitsOf, maxWaitOption } from '../../shared/api/command-options.ts';
import { tokenFromEnvironment } from '../../shared/api/token.ts';
import { run, type ServerCommand } from '../../shared/command.ts';
import { createSlack } from './slack.ts';
import { TOKEN_VARIABLE } from './slack-client.ts';

/** The IDs in a list with commas; undefined if it is empty. */
function listOf(text = ''): readonly string[] | undefined {
  const ids = text.split(',').map((id) => id.trim());
  const given = [...new Set(ids)].filter((id) => id !== '');
  return given.length === 0 ? undefined : given;
}

const command: ServerCommand = {
  name: 'slack',
  about: 'channels, messages and users of a Slack workspace',
  options: {
    'api-url': { type: 'string', about: 'the address of the API, for GovSlack; also SLACK_API_URL' },
    ...maxWaitOption('Slack'),
    'no-confirm': { type: 'boolean', about: 'post messages that notify a whole channel without asking the user' },
  },
  create: (given) =>
    createSlack({
      url: addressOf(given, { variable: 'SLACK_API_URL', example: 'https://slack-gov.com/api' }),
      token: tokenFromEnvironment([TOKEN_VARIABLE]),
      teamId: process.env['SLACK_TEAM_ID']?.trim() || undefined,
      channels: listOf(process.env['SLACK_CHANNEL_IDS']),
      limits: limitsOf(given),
      confirm: !given.has('no-confirm'),
    }),
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
