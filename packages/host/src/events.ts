import type { Progress, ServerLog } from 'tenon/client';
import type { Item } from './pending/item.ts';
import type { ServerView } from './servers/view.ts';

/** A decision and its reason. */
export interface DecisionRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly act: string;
  readonly server: string;
  readonly target: string;
  readonly allow: boolean;
  readonly why: string;
}

/** An event of a host, as plain data. */
export type HostEvent =
  | { readonly kind: 'server'; readonly server: ServerView }
  | { readonly kind: 'tools' }
  /** An item began to wait for a person, or stopped waiting. `items` are all that wait now. */
  | { readonly kind: 'pending'; readonly items: readonly Item[] }
  | { readonly kind: 'decided'; readonly record: DecisionRecord }
  | { readonly kind: 'calling'; readonly call: string; readonly server: string; readonly tool: string }
  | {
      readonly kind: 'called';
      readonly call: string;
      readonly server: string;
      readonly tool: string;
      readonly ms: number;
      readonly isError: boolean;
      readonly revision: string | undefined;
    }
  | { readonly kind: 'progress'; readonly call: string; readonly tool: string; readonly progress: Progress }
  | { readonly kind: 'log'; readonly server: string; readonly message: ServerLog }
  | { readonly kind: 'problem'; readonly server: string; readonly message: string }
  /** A call that an earlier program had to leave at a question has ended. */
  | {
      readonly kind: 'resumed';
      readonly server: string;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly result: unknown;
    };

export type HostListener = (event: HostEvent) => void;
