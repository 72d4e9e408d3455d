import type { Host, RunOptions } from '@tenon/host';

/** A message as a conversation keeps it. Plain JSON. */
export type Message = NonNullable<RunOptions['messages']>[number];

/** A resource that goes along with what the person says. */
export type Attachment = NonNullable<RunOptions['attachments']>[number];

/** The model of a chat. */
export interface ChatModel {
  readonly model: RunOptions['model'];
  /** As it is given with --model. */
  readonly name: string;
  /** It is no model at all: a script that comes with the command. */
  readonly script: boolean;
}

/** Everything that a chat works with, however it is shown. */
export interface Chat {
  readonly host: Host;
  readonly model: ChatModel;
  /** The folder for conversations, decisions and the audit log. */
  readonly state: string;
  /** Where the servers are named; undefined: nowhere. */
  readonly source: string | undefined;
}
