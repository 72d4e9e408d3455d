import type { Engine } from '../engine.ts';
import { NetworkBus } from '../network/network-bus.ts';
import { opened } from '../network/opened.ts';
import { parseNatsAddress } from './address.ts';
import { NatsDriver } from './nats-driver.ts';

/** A bus on NATS. */
export const engine: Engine = {
  async openBus(address, { busyMs }) {
    return opened(new NetworkBus(new NatsDriver(parseNatsAddress(address)), busyMs));
  },
};
