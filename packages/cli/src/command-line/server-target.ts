import type { Login } from '@tenon/host';
import type { Command, Revision } from 'tenon/client';

/** The server of the command line: a URL, or a command to start. */
export type ServerTarget =
  | {
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** The login settings of its configuration. */
      readonly login?: Login | undefined;
    }
  | { readonly command: Command };

/** A server that a configuration names. */
export interface ConfiguredServer {
  /** Its name in the configuration. */
  readonly name: string;
  readonly target: ServerTarget;
  /** The revision that the configuration sets. */
  readonly revision: Revision | undefined;
}
