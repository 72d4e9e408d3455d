import { createStandIn } from '../servers/slack/src/fixtures/stand-in.ts';
import type { Comparison } from './comparison.ts';

const REFUSED = 'a refusal is an error, not a result';
const CHANNEL = { channel_id: 'C012TEA' };
const THREAD = { ...CHANNEL, thread_ts: '1700000002.000001' };
const ENV = { SLACK_BOT_TOKEN: 'xoxb-compared', SLACK_TEAM_ID: 'T012TEA' };

export const slack: Comparison = {
  name: 'slack',
  origins: ['https://slack.com'],
  async start() {
    const standIn = createStandIn();
    await standIn.start();
    return { url: standIn.url, reset: () => standIn.reset(), stop: () => standIn.stop() };
  },
  ours: (url) => ({ args: ['--api-url', `${url}/api`, '--no-confirm'], env: ENV }),
  original: () => ({ env: ENV }),
  // The original passes whole answers of Slack on; we choose fields.
  leftOut: /./,
  calls: [
    { name: 'slack_list_channels', args: {} },
    { name: 'slack_list_channels', args: { limit: 500 } },
    { name: 'slack_list_channels', args: { limit: 1 } },
    { name: 'slack_list_channels', args: { limit: 1, cursor: '1' } },
    { name: 'slack_list_channels', args: { cursor: 'x' }, otherAnswer: REFUSED },
    { name: 'slack_post_message', args: { ...CHANNEL, text: 'Grün 🫖 <!here>' } },
    { name: 'slack_post_message', args: { channel_id: 'C012NONE', text: 'x' }, otherAnswer: REFUSED },
    { name: 'slack_post_message', args: CHANNEL, otherAnswer: 'the original gives errors as results' },
    { name: 'slack_reply_to_thread', args: { ...THREAD, text: 'Yes' } },
    {
      name: 'slack_reply_to_thread',
      args: { ...CHANNEL, thread_ts: '1700000002000001', text: 'Yes' },
      otherAnswer: 'timestamps without the period are converted',
      otherRequests: 'timestamps without the period are converted',
    },
    { name: 'slack_add_reaction', args: { ...CHANNEL, timestamp: '1700000002.000001', reaction: 'tea' } },
    {
      name: 'slack_add_reaction',
      args: { ...CHANNEL, timestamp: '1700000002.000001', reaction: ':tea:' },
      otherRequests: 'colons are removed',
    },
    { name: 'slack_get_channel_history', args: CHANNEL },
    { name: 'slack_get_channel_history', args: { ...CHANNEL, limit: 1 } },
    { name: 'slack_get_channel_history', args: { channel_id: 'C012NONE' }, otherAnswer: REFUSED },
    { name: 'slack_get_thread_replies', args: THREAD },
    { name: 'slack_get_users', args: {} },
    { name: 'slack_get_users', args: { limit: 1, cursor: '1' } },
    { name: 'slack_get_user_profile', args: { user_id: 'U012ANN' } },
    { name: 'slack_get_user_profile', args: { user_id: 'U012NONE' }, otherAnswer: REFUSED },
  ],
};
