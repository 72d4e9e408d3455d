import type { ConnectOptions } from 'tenon/client';
import type { Redactor } from '../record/redact.ts';
import type { Finding } from '../rules/finding.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import type { Inbox } from './inbox.ts';
import type { LogLevel } from './log-level.ts';

/** What the servers of a workbench share. */
export interface Shared {
  readonly store: TraceStore;
  readonly redactor: Redactor;
  readonly inbox: Inbox;
  /** Returns a name for the next session of a server. */
  name(server: string): string;
  changed(server: string): void;
  progress(server: string, key: string, progress: { progress: number; total?: number; message?: string }): void;
  findings(): readonly Finding[];
  /** How questions are answered when no page shows the inbox. */
  readonly answering?: Pick<ConnectOptions, 'elicit' | 'answers' | 'sample' | 'roots'>;
  /** The credentials for the server at a URL, if no login is available. */
  readonly auth?: ConnectOptions['auth'];
  /** The time limits for connecting, and for each request, in milliseconds. Default: 30,000 and 60,000. */
  readonly timeoutMs?: number;
  /** The log level requested of servers of 2026-07-28, which otherwise send no log messages. Default: none. */
  readonly logLevel?: LogLevel;
  /** Also try the era that a connection does not use. Default true. */
  readonly bothEras?: boolean;
}
