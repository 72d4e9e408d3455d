import type { Host, RunOptions } from '@tenon/host';
import type { ServerOff } from './chat-servers.ts';

/** A message of a conversation, as plain JSON. */
export type Message = NonNullable<RunOptions['messages']>[number];

/** A resource attached to the user's message. */
export type Attachment = NonNullable<RunOptions['attachments']>[number];

/** The model of a chat. */
export interface ChatModel {
  readonly model: RunOptions['model'];
  /** The name for `--model`. */
  readonly name: string;
  /** Whether it is not a language model but a script. */
  readonly script: boolean;
}

/** The folders that servers may work in, as file URIs. */
export interface Roots {
  list(): readonly string[];
  /** Replaces them, and notifies the servers. */
  set(roots: readonly string[]): Promise<void>;
}

/** The parts of a chat that do not depend on how it is shown. */
export interface Chat {
  readonly host: Host;
  readonly model: ChatModel;
  readonly roots: Roots;
  /** The folder for conversations, decisions and the audit log. */
  readonly state: string;
  /** Servers that do not run because their configuration turns them off. */
  readonly off: readonly ServerOff[];
  /** The configuration files of the servers; undefined if no file is used. */
  readonly source: string | undefined;
}
