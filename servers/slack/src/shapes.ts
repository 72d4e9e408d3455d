// The fields of results: what a reader needs, by the names that Slack gives them.
import { z } from 'zod';

const text = z.string().nullish();
const count = z.number().nullish();
const flag = z.boolean().nullish();
const note = z.object({ value: text, creator: text, last_set: count }).nullish();

export const OK = z.literal(true);

/** Where the next page begins. Empty: there is none. */
export const NEXT = z.object({ next_cursor: z.string().describe('Begins the next page; empty after the last one') });

export const CHANNEL_SHAPE = z.object({
  id: z.string(),
  name: text,
  is_private: flag,
  is_archived: flag,
  is_member: flag,
  is_general: flag,
  is_ext_shared: flag,
  created: count,
  creator: text,
  num_members: count,
  topic: note,
  purpose: note,
  previous_names: z.array(z.string()).nullish(),
});

export const MESSAGE_SHAPE = z.object({
  ts: z.string(),
  type: text,
  subtype: text,
  user: text,
  bot_id: text,
  username: text,
  text,
  thread_ts: text,
  parent_user_id: text,
  reply_count: count,
  latest_reply: text,
  edited: z.object({ user: text, ts: text }).nullish(),
  reactions: z.array(z.object({ name: text, count, users: z.array(z.string()).nullish() })).nullish(),
  files: z
    .array(z.object({ id: text, name: text, title: text, mimetype: text, size: count, permalink: text }))
    .nullish(),
  attachments: z
    .array(z.object({ title: text, title_link: text, author_name: text, text, fallback: text, from_url: text }))
    .nullish(),
  blocks: z.array(z.unknown()).nullish().describe('Only if the message has no text'),
});

const PERSON = {
  title: text,
  real_name: text,
  display_name: text,
  first_name: text,
  last_name: text,
  pronouns: text,
  email: text,
  phone: text,
  status_text: text,
  status_emoji: text,
  image_72: text,
};

export const USER_SHAPE = z.object({
  id: z.string(),
  team_id: text,
  name: text,
  real_name: text,
  deleted: flag,
  is_bot: flag,
  is_admin: flag,
  is_owner: flag,
  is_restricted: flag,
  is_ultra_restricted: flag,
  tz: text,
  updated: count,
  profile: z.object(PERSON).nullish(),
});

export const PROFILE_SHAPE = z.object({
  ...PERSON,
  start_date: text,
  fields: z
    .record(z.string(), z.object({ label: text, value: text, alt: text }))
    .nullish()
    .describe('Fields that the workspace has added'),
});

/** A message without its blocks, which repeat its text in another form. */
export function withoutRepetition(message: z.infer<typeof MESSAGE_SHAPE>): z.infer<typeof MESSAGE_SHAPE> {
  const { blocks, ...rest } = message;
  return (message.text ?? '') === '' ? { ...rest, blocks } : rest;
}
