import { type CallContext, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { dataReply } from '../../shared/api/data-reply.ts';
import { ADDS } from '../../shared/api/hints.ts';
import { pick } from '../../shared/api/pick.ts';
import { channel_id, text, thread_ts, timestamp } from './inputs.ts';
import { MESSAGE_SHAPE, OK, withoutRepetition } from './shapes.ts';
import { SERVICE, type Slack } from './slack-client.ts';
import { checkChannel, createHandlers, type ToolSetting } from './tool-setting.ts';

const POSTED = z.object({ ok: OK, channel: z.string(), ts: z.string(), message: MESSAGE_SHAPE });
const DONE = z.object({ ok: OK });

/** How mentions begin that notify many people ("Formatting text for app surfaces", "Special mentions"). */
const BROADCAST = /<!(?:channel|here|everyone|subteam\^)/;
const MAX_SHOWN_LENGTH = 300;

interface Message {
  readonly channel: string;
  readonly text: string;
  readonly thread_ts?: string;
}

async function post(slack: Slack, message: Message) {
  const posted = pick(SERVICE, POSTED, await slack.ask('chat.postMessage', message));
  return { ...posted, message: withoutRepetition(posted.message) };
}

/** Posts a message. The user is asked before it notifies many people. */
async function postMessage(setting: ToolSetting, slack: Slack, ctx: CallContext, message: Message) {
  const { channel, text } = message;
  checkChannel(setting, channel);
  if (!setting.confirm || !BROADCAST.test(text) || !ctx.client.can('elicitation'))
    return dataReply(SERVICE, await post(slack, message));
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  const question = `Post this message to ${channel}, which notifies everybody it mentions? "${shown}"`;
  const answer = await ctx.ask('post', question, z.object({ post: z.boolean().meta({ title: 'Post' }) }));
  if (!answer.post) throw new ToolError('The user declined. Nothing was posted.');
  return dataReply(SERVICE, await ctx.once('posted', () => post(slack, message)));
}

export function messageTools(setting: ToolSetting) {
  const withSlack = createHandlers(setting);
  return {
    slack_post_message: tool(
      {
        title: 'Post a message',
        description: 'Post a new message to a Slack channel',
        input: z.object({
          channel_id: channel_id.describe('The ID of the channel to post to'),
          text: text.describe('The message text to post'),
        }),
        output: POSTED,
        ...ADDS,
      },
      withSlack((slack, { channel_id: channel, text: given }, ctx) =>
        postMessage(setting, slack, ctx, { channel, text: given }),
      ),
    ),
    slack_reply_to_thread: tool(
      {
        title: 'Reply to a thread',
        description: 'Reply to a specific message thread in Slack',
        input: z.object({ channel_id, thread_ts, text: text.describe('The reply text') }),
        output: POSTED,
        ...ADDS,
      },
      withSlack((slack, { channel_id: channel, text: given, thread_ts: thread }, ctx) =>
        postMessage(setting, slack, ctx, { channel, text: given, thread_ts: thread }),
      ),
    ),
    slack_add_reaction: tool(
      {
        title: 'Add a reaction',
        description: 'Add a reaction emoji to a message',
        input: z.object({
          channel_id: channel_id.describe('The ID of the channel containing the message'),
          timestamp,
          reaction: z
            .string()
            .max(200)
            .overwrite((name) => name.replace(/^:|:$/g, ''))
            .min(1)
            .describe('The name of the emoji reaction (without ::)'),
        }),
        output: DONE,
        ...ADDS,
        idempotent: true,
      },
      withSlack(async (slack, { channel_id: channel, timestamp: ts, reaction: name }) => {
        checkChannel(setting, channel);
        return dataReply(
          SERVICE,
          pick(SERVICE, DONE, await slack.ask('reactions.add', { channel, timestamp: ts, name })),
        );
      }),
    ),
  };
}
