// A server under test: made in this process for the cells in memory, and in a process of its own for those over stdio.
import { app, type App } from './app.ts';
import type { Server } from '../../src/entries/index.ts';

/** A server of which every connection gets a new one, so that tests share nothing. */
export interface Fixture<A extends Server = Server> {
  readonly make: () => A;
  /** The module that exports `make`, and under which name. */
  readonly module: URL;
  readonly name: string;
}

/** The server with every feature. */
export const suite: Fixture<App> = { make: app, module: new URL('app.ts', import.meta.url), name: 'app' };
