import type { Progress, ServerLog } from 'tenon/client';
import type { Item } from './pending/item.ts';
import type { ServerView } from './servers/view.ts';

/** A decision and its reason. */
export interface DecisionRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The kind of action, such as `start`, `call`, `read`, `watch`, `prompt`, `sample` or `question`. */
  readonly act: string;
  /** The alias of the server. */
  readonly server: string;
  /** The name of a tool or prompt, the URI of a resource, or the alias for an action on the server itself. */
  readonly target: string;
  /** Whether it was allowed. */
  readonly allow: boolean;
  /** The rule or earlier decision that decided, or the reason, in words. */
  readonly why: string;
}

/** An event of a host, as plain data. `server` is an alias, `tool` a qualified name, and `call` the same in all events of a call. */
export type HostEvent =
  /** The state of a server changed. */
  | { readonly kind: 'server'; readonly server: ServerView }
  /** The tools changed. */
  | { readonly kind: 'tools' }
  /** An item began to wait for a person, or stopped waiting. `items` are all that wait now. */
  | { readonly kind: 'pending'; readonly items: readonly Item[] }
  /** An action was allowed or denied. */
  | { readonly kind: 'decided'; readonly record: DecisionRecord }
  /** A call of a tool was allowed, and begins. */
  | { readonly kind: 'calling'; readonly call: string; readonly server: string; readonly tool: string }
  /**
   * A call ended after `ms` milliseconds. In `waitedMs` of them, questions and samplings of its server waited for a decision. `revision` is
   * that of the connection, undefined if there was none.
   */
  | {
      readonly kind: 'called';
      readonly call: string;
      readonly server: string;
      readonly tool: string;
      readonly ms: number;
      readonly waitedMs: number;
      readonly isError: boolean;
      readonly revision: string | undefined;
    }
  /** A server reported progress of a call. */
  | { readonly kind: 'progress'; readonly call: string; readonly tool: string; readonly progress: Progress }
  /** A server sent a log message. Only a limited number per second is passed on; a problem says how many were left out. */
  | { readonly kind: 'log'; readonly server: string; readonly message: ServerLog }
  /** A problem that a person should know of, in a sentence. `server` is empty if it concerns no server. */
  | { readonly kind: 'problem'; readonly server: string; readonly message: string }
  /** A call that an earlier program had to leave at a question has ended. */
  | {
      readonly kind: 'resumed';
      readonly server: string;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly result: unknown;
    };

/** Receives the events of a host, one after the other. */
export type HostListener = (event: HostEvent) => void;
