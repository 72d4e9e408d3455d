// An outbox: every message is a file, in the format of RFC 5322, that a mail program can open. Nothing leaves this machine.
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { orMissing, replaceFile } from './files.ts';

const MAX_MESSAGES = 1_000;
const FROM = 'traveler@example.com';

/** A line break in a header would start another header, such as Bcc. Other control characters are not allowed there either. */
function isOneLine(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029]/u.test(text);
}

/** A message to send. Text that could add a header is rejected. */
export const Message = z.object({
  to: z.email().max(254).describe('Address of one recipient'),
  subject: z.string().min(1).max(200).refine(isOneLine, 'must be one line, without line breaks'),
  body: z.string().max(100_000).describe('Plain text'),
});

/** A message in the outbox. */
export interface SentMessage {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
}

/** Stores messages. */
export interface Outbox {
  /** The oldest first. */
  list(): Promise<SentMessage[]>;
  /** The stored message as it is sent; undefined if the id is unknown. */
  read(id: string): Promise<string | undefined>;
  send(message: z.infer<typeof Message>): Promise<SentMessage>;
}

function textOf(id: string, now: Date, { to, subject, body }: z.infer<typeof Message>): string {
  return [
    `Date: ${now.toUTCString().replace('GMT', '+0000')}`,
    `From: ${FROM}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: <${id}@example.com>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    ...body.split(/\r\n|\r|\n/),
    '',
  ].join('\r\n');
}

function headerOf(message: string, name: string): string {
  return (
    message
      .split('\r\n\r\n', 1)[0]!
      .split('\r\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? ''
  );
}

/** The outbox of a folder. */
export function outboxIn(folder: string): Outbox {
  const box = join(folder, 'outbox');
  const ids = async (): Promise<string[]> =>
    (await orMissing(readdir(box), []))
      .filter((name) => name.endsWith('.eml'))
      .map((name) => name.slice(0, -'.eml'.length))
      .sort();

  /** An id comes from a client and could be a path: only files in the folder are read. */
  const read = async (id: string): Promise<string | undefined> =>
    (await ids()).includes(id) ? readFile(join(box, `${id}.eml`), 'utf8') : undefined;

  return {
    read,
    async list() {
      const texts = await Promise.all((await ids()).map(async (id) => [id, (await read(id)) ?? ''] as const));
      return texts.map(([id, text]) => ({ id, to: headerOf(text, 'To'), subject: headerOf(text, 'Subject') }));
    },
    async send(message) {
      if ((await ids()).length >= MAX_MESSAGES)
        throw new Error(`The outbox is full: it has ${MAX_MESSAGES} messages. Delete some of ${box}.`);
      const now = new Date();
      // Names sort by time.
      const id = `${now.toISOString().replaceAll(/[-:.]/g, '')}-${randomUUID().slice(0, 8)}`;
      await replaceFile(join(box, `${id}.eml`), textOf(id, now, message));
      return { id, to: message.to, subject: message.subject };
    },
  };
}
