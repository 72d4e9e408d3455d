import type { Implementation } from 'tenon/client';

/** A server's description of itself: its implementation info for people, and its instructions for the model. */
export interface ServerDescription {
  /** Its name, version, title and links. Undefined if it reports none. */
  readonly server: Implementation | undefined;
  /** The instructions for the model. Undefined if it has none. */
  readonly instructions: string | undefined;
}
