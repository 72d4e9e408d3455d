import { ENGINES, schemeOf, withoutSecrets } from './engines.ts';
import { BUS_OPTIONS, type BusOptions, type SharedBus, withDefaults } from './options.ts';
import { prefixOf } from './open-store.ts';

/**
 * Connects to the bus with this address, which passes messages between the nodes of a server: `postgres:`, `redis:`, `rediss:` or
 * `nats:`, and the host.
 * Rejects with a `StoreError` if it cannot be reached, and with a `TypeError` for an invalid address.
 *
 * @example
 * ```ts
 * import { openBus, openStore } from '@tenon/store';
 * import { server } from 'tenon';
 * import { serveHttp } from 'tenon/node';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * const address = 'postgres://tenon@db.internal/tenon';
 * await serveHttp(app, { store: await openStore(address), bus: await openBus(address) });
 * ```
 */
export async function openBus(address: string, options: BusOptions = {}): Promise<SharedBus> {
  const all = withDefaults(options, 'bus', BUS_OPTIONS);
  const { openBus: open } = (await ENGINES[schemeOf(address)]?.())?.engine ?? {};
  if (open === undefined) throw new TypeError(`'${withoutSecrets(address)}' is the address of no bus`);
  const bus = await open(address, all);
  const prefix = prefixOf(options.tenant);
  return {
    publish: (topic, message) => bus.publish(prefix + topic, message),
    subscribe: (topic, listener, missed) => bus.subscribe(prefix + topic, listener, missed),
    close: () => bus.close(),
    [Symbol.asyncDispose]: () => bus.close(),
  };
}

/** The addresses that a server was given for its state. */
export interface StateAddresses {
  /** The address of the store. Undefined: there is none. */
  readonly store?: string | undefined;
  /** The address of the bus. Default: the server of the store, if it can be one. */
  readonly bus?: string | undefined;
}

/**
 * Connects to the bus of a server with these addresses. Without an address for it, the server of the store is the bus as well, if it can be
 * one, so that one address is enough; otherwise there is none. Rejects like `openBus`.
 *
 * @example
 * ```ts
 * import { openBusFor, openStore } from '@tenon/store';
 *
 * const address = 'redis://localhost';
 * const store = await openStore(address);
 * const bus = await openBusFor({ store: address });
 * ```
 */
export async function openBusFor(
  { store, bus }: StateAddresses,
  options: BusOptions = {},
): Promise<SharedBus | undefined> {
  const address = bus ?? ((await canBeBus(store)) ? store : undefined);
  return address === undefined ? undefined : openBus(address, options);
}

async function canBeBus(address: string | undefined): Promise<boolean> {
  return address !== undefined && (await ENGINES[schemeOf(address)]?.())?.engine.openBus !== undefined;
}
