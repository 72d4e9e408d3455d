import type { Store } from 'tenon';
import type { Bus } from 'tenon/http';
import type { EngineOptions } from './options.ts';

/** A store as an engine opens it. */
export interface EngineStore extends Store {
  close(): Promise<void>;
}

/** A bus as an engine opens it. */
export interface EngineBus extends Bus {
  close(): Promise<void>;
}

/** What keeps state, or passes messages. Each has a folder of its own, which is loaded when an address names it. */
export interface Engine {
  /** Opens the store with an address. */
  openStore?(address: string, options: EngineOptions): Promise<EngineStore>;
  /** Connects to the bus with an address. `busyMs` as in the options of a store. */
  openBus?(address: string, options: Pick<EngineOptions, 'busyMs'>): Promise<EngineBus>;
}
