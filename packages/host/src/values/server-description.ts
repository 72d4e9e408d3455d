import type { Implementation } from 'tenon/client';

/** What a server says of itself: to people, and in its instructions to the model. */
export interface ServerDescription {
  readonly server: Implementation | undefined;
  readonly instructions: string | undefined;
}
