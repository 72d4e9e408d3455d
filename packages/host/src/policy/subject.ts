import type { ToolEntry } from 'tenon/client';

export type ToolAnnotations = NonNullable<ToolEntry['annotations']>;

/** What a host does with a server: nothing of it without a decision. */
export type Act = 'start' | 'call' | 'read' | 'prompt' | 'sample';

/** What is to be decided. */
export interface Subject {
  readonly act: Act;
  /** The alias. */
  readonly server: string;
  readonly trusted: boolean;
  /** The server's own name for its tool. */
  readonly tool?: string;
  readonly uri?: string;
  readonly annotations?: ToolAnnotations;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** What a yes for longer is for: if this changes, it is asked again. Fingerprint of a command, pin of a tool. */
  readonly exactly: string;
}

/** The server a decision is about, as it was started. */
export interface ServerIdentity {
  /** The alias. */
  readonly server: string;
  readonly trusted: boolean;
  /** The digest of what was started. Undefined: nothing was. */
  readonly launch: string | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/** A yes is for this server as it was started, and for what was shown of it. */
const exactly = ({ launch = '' }: ServerIdentity, shown: string): string => `${launch} ${shown}`;

/** The call of a tool, with the pin of what was shown of it. */
export const callSubject = (
  identity: ServerIdentity,
  { name, annotations }: ToolEntry,
  pin: string,
  args: Arguments,
): Subject => ({
  act: 'call',
  server: identity.server,
  trusted: identity.trusted,
  tool: name,
  arguments: args,
  exactly: exactly(identity, pin),
  ...(annotations === undefined ? {} : { annotations }),
});

export const readSubject = (identity: ServerIdentity, uri: string): Subject => ({
  act: 'read',
  server: identity.server,
  trusted: identity.trusted,
  uri,
  exactly: exactly(identity, uri),
});

/** `name`: as the server calls the prompt. */
export const promptSubject = (identity: ServerIdentity, name: string, args: Arguments = {}): Subject => ({
  act: 'prompt',
  server: identity.server,
  trusted: identity.trusted,
  arguments: args,
  exactly: exactly(identity, name),
});
