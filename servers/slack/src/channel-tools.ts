import { tool } from 'tenon';
import { z } from 'zod';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import { READS } from '../../shared/api/hints.ts';
import { collectPages } from '../../shared/api/pages.ts';
import { pick } from '../../shared/api/pick.ts';
import { channel_id, cursor, limit, thread_ts } from './inputs.ts';
import { CHANNEL_SHAPE, MESSAGE_SHAPE, NEXT, OK, withoutRepetition } from './shapes.ts';
import { SERVICE, type Slack } from './slack-client.ts';
import { checkChannel, createHandlers, listReply, nextOf, type ToolSetting } from './tool-setting.ts';

/** Slack recommends no more, and the original has this maximum. */
const MAX_PER_PAGE = 200;
/** How many replies of a thread are collected. */
const MAX_REPLIES = 1_000;

const CHANNELS = z.object({ ok: OK, channels: z.array(CHANNEL_SHAPE), response_metadata: NEXT });
const MESSAGES = z.object({
  ok: OK,
  messages: z.array(MESSAGE_SHAPE),
  has_more: z.boolean(),
  response_metadata: NEXT,
});

/** A page of the public channels. */
export async function listChannels(
  slack: Slack,
  { teamId, limit, cursor }: { teamId: string | undefined; limit: number; cursor?: string | undefined },
) {
  const answer = await slack.ask('conversations.list', {
    types: 'public_channel',
    exclude_archived: true,
    limit: Math.min(limit, MAX_PER_PAGE),
    team_id: teamId,
    cursor,
  });
  return pick(SERVICE, CHANNELS, { ...answer, response_metadata: nextOf(answer) });
}

/** The channels with these IDs. The notes are about those that cannot be read. */
export async function readChannels(slack: Slack, ids: readonly string[]) {
  const channels: z.infer<typeof CHANNEL_SHAPE>[] = [];
  const notes: string[] = [];
  for (const channel of ids) {
    try {
      const answer = await slack.ask('conversations.info', { channel });
      const found = pick(SERVICE, z.object({ channel: CHANNEL_SHAPE }), answer).channel;
      if (found.is_archived !== true) channels.push(found);
    } catch (error) {
      // One channel that is gone, or that the app was removed from, does not hide the others.
      if (![403, 404].includes(apiErrorIn(error)?.status ?? 0)) throw error;
      notes.push(`${channel} is left out: ${(error as Error).message}`);
    }
  }
  return { channels, notes };
}

/** The latest messages of a channel. */
export async function readHistory(
  slack: Slack,
  { channel, limit, cursor }: { channel: string; limit: number; cursor?: string | undefined },
) {
  const answer = await slack.ask('conversations.history', { channel, limit, cursor });
  const page = pick(SERVICE, MESSAGES, {
    ...answer,
    has_more: answer.has_more ?? false,
    response_metadata: nextOf(answer),
  });
  return { ...page, messages: page.messages.map(withoutRepetition) };
}

async function readReplies(slack: Slack, channel: string, ts: string) {
  let next: string | undefined;
  const { items, isCut } = await collectPages({
    read: async () => {
      const answer = await slack.ask('conversations.replies', { channel, ts, cursor: next });
      const { messages } = pick(SERVICE, MESSAGES.pick({ ok: true, messages: true }), answer);
      next = nextOf(answer).next_cursor;
      return { items: messages.map(withoutRepetition), hasNext: next !== '' };
    },
    // The first message of the thread is on each page.
    keyOf: (message) => message.ts,
    maxItems: MAX_REPLIES,
    onPage: (count) => slack.report(`${count} messages so far`),
  });
  return { ok: true as const, messages: items, has_more: isCut };
}

export function channelTools(setting: ToolSetting) {
  const withSlack = createHandlers(setting);
  const { teamId, channels: only } = setting;
  return {
    slack_list_channels: tool(
      {
        title: 'List channels',
        description: 'List public or pre-defined channels in the workspace with pagination',
        input: z.object({
          limit: limit.default(100).describe('Maximum number of channels to return (default 100, max 200)'),
          cursor: cursor.optional(),
        }),
        output: CHANNELS,
        ...READS,
      },
      withSlack(async (slack, input) => {
        if (only === undefined) return listReply(await listChannels(slack, { teamId, ...input }));
        const { channels, notes } = await readChannels(slack, only);
        return listReply({ ok: true as const, channels, response_metadata: { next_cursor: '' } }, notes);
      }),
    ),
    slack_get_channel_history: tool(
      {
        title: 'Get recent messages',
        description: 'Get recent messages from a channel',
        input: z.object({
          channel_id,
          limit: limit.max(999).default(10).describe('Number of messages to retrieve (default 10, max 999)'),
          cursor: cursor.optional(),
        }),
        output: MESSAGES,
        ...READS,
      },
      withSlack(async (slack, { channel_id: channel, ...input }) => {
        checkChannel(setting, channel);
        return listReply(await readHistory(slack, { channel, ...input }));
      }),
    ),
    slack_get_thread_replies: tool(
      {
        title: 'Get a thread',
        description: 'Get all replies in a message thread',
        input: z.object({ channel_id, thread_ts }),
        output: MESSAGES,
        ...READS,
      },
      withSlack(async (slack, { channel_id: channel, thread_ts: ts }) => {
        checkChannel(setting, channel);
        const thread = await readReplies(slack, channel, ts);
        const notes = thread.has_more ? [`Only the first ${thread.messages.length} are here.`] : [];
        return listReply({ ...thread, response_metadata: { next_cursor: '' } }, notes);
      }),
    ),
  };
}
