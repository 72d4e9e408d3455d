import { type Context, resource } from 'tenon';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import type { ApiContext } from '../../shared/api/api.ts';
import type { ApiClock } from '../../shared/api/clock.ts';
import { readHistory } from './channel-tools.ts';
import { createDirectory, type Names } from './directory.ts';
import type { Slack } from './slack-client.ts';
import type { ToolSetting } from './tool-setting.ts';
import { readProfile } from './user-tools.ts';

const CHANNEL_TEMPLATE = 'slack://channels/{channel}';
const USER_TEMPLATE = 'slack://users/{user}';

const MESSAGES = 50;
/** IDs of channels and users have capital letters, and names do not. */
const ID = /^[A-Z][A-Z0-9]{5,}$/;

/** The ID of a channel or user that is named by its name or ID; undefined if there is none. */
async function idOf(slack: Slack, names: Names, given: string): Promise<string | undefined> {
  if (ID.test(given)) return given;
  return (await names(slack)).find(({ name }) => name === given)?.id;
}

/** Names that start with the typed text. Empty if Slack refuses, because a completion cannot report an error. */
async function complete(slack: Slack, names: Names, typed: string): Promise<string[]> {
  const known = await names(slack).catch(() => []);
  return known.map(({ name }) => name).filter((name) => name.startsWith(typed.replace(/^[#@]/, '').toLowerCase()));
}

/** Nothing instead of an error, if there is no such thing. */
async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (apiErrorIn(error)?.status === 404) return undefined;
    throw error;
  }
}

/** Channels and users as resource templates, for people who choose them by name. */
export function slackResources(setting: ToolSetting, clock?: ApiClock) {
  const { channels, users } = createDirectory(setting, clock);
  const slackOf = (ctx: Context & ApiContext): Slack => setting.slackFor(ctx);
  return {
    [CHANNEL_TEMPLATE]: resource(
      {
        name: 'Channel',
        description: `The latest ${MESSAGES} messages of a channel, which is named by its name or ID`,
        mimeType: 'application/json',
        complete: { channel: (typed, ctx) => complete(slackOf(ctx), channels, typed) },
      },
      ({ channel: given }, ctx) =>
        unlessMissing(async () => {
          const slack = slackOf(ctx);
          const channel = await idOf(slack, channels, given);
          if (channel === undefined || setting.channels?.includes(channel) === false) return undefined;
          return readHistory(slack, { channel, limit: MESSAGES });
        }),
    ),
    [USER_TEMPLATE]: resource(
      {
        name: 'User',
        description: 'The profile of a user, who is named by name or ID',
        mimeType: 'application/json',
        complete: { user: (typed, ctx) => complete(slackOf(ctx), users, typed) },
      },
      ({ user: given }, ctx) =>
        unlessMissing(async () => {
          const slack = slackOf(ctx);
          const user = await idOf(slack, users, given);
          return user === undefined ? undefined : readProfile(slack, user);
        }),
    ),
  };
}
