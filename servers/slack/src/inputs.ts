// The arguments that several tools have.
import { z } from 'zod';

const TS_FORMAT =
  "in the format '1234567890.123456'. Timestamps in the format without the period can be converted by adding the period such that 6 numbers come after it.";

/** As in links to messages: with a `p` and without the period. */
const ts = z
  .string()
  .max(40)
  .overwrite((text) => text.replace(/^p?(\d{10})(\d{6})$/, '$1.$2'))
  .regex(/^\d{1,12}\.\d{1,9}$/, 'must be like 1234567890.123456');

const id = z.string().min(1).max(100);

export const channel_id = id.describe('The ID of the channel');
export const user_id = id.describe('The ID of the user');
export const thread_ts = ts.describe(`The timestamp of the parent message ${TS_FORMAT}`);
export const timestamp = ts.describe('The timestamp of the message to react to');
/** Slack cuts longer ones ("chat.postMessage", "Truncating content"). */
export const text = z.string().min(1).max(40_000);
export const cursor = z.string().min(1).max(1_000).describe('Pagination cursor for next page of results');
export const limit = z.int().min(1).max(1_000);
