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
  /** A name for the next session of a server. */
  name(server: string): string;
  changed(server: string): void;
  progress(server: string, key: string, progress: { progress: number; total?: number; message?: string }): void;
  findings(): readonly Finding[];
  /** How questions are answered when no page shows the inbox. */
  readonly answering?: Pick<ConnectOptions, 'elicit' | 'answers' | 'sample' | 'roots'>;
  /** The credentials for a server at a URL, when no login is available. */
  readonly auth?: ConnectOptions['auth'];
  /** The time limits for connecting, and for each request, in milliseconds. Default: 30,000 and 60,000. */
  readonly timeoutMs?: number;
  /** The least severe log messages that are requested of servers of 2026-07-28, which send none otherwise. Default: none are requested. */
  readonly logLevel?: LogLevel;
  /** Try the era that a connection does not speak as well. Default true. */
  readonly bothEras?: boolean;
}
