import type { Implementation } from 'tenon/client';

/** A server's description of itself: its implementation info for people, and its instructions for the model. */
export interface ServerDescription {
  readonly server: Implementation | undefined;
  readonly instructions: string | undefined;
}
