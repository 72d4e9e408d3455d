// A server under test: in this process for the cells in memory, and in its own process for those over stdio.
import { app, type App } from './app.ts';
import type { Server } from '../../src/entries/index.ts';

/** A server that is created anew for every connection, so that tests share nothing. */
export interface Fixture<A extends Server = Server> {
  readonly make: () => A;
  /** The module that exports `make`, and the name of the export. */
  readonly module: URL;
  readonly name: string;
}

/** The server with every feature. */
export const suite: Fixture<App> = { make: app, module: new URL('app.ts', import.meta.url), name: 'app' };
