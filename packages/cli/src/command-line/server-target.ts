import type { Command, Revision } from 'tenon/client';

/** The server of the command line: a URL, or a command to start. */
export type ServerTarget =
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly command: Command };

/** A server that a configuration names. */
export interface ConfiguredServer {
  readonly target: ServerTarget;
  /** The revision that the configuration sets. */
  readonly revision: Revision | undefined;
}
