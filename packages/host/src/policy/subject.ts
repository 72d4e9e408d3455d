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
