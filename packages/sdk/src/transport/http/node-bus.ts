import type { Logger } from '../../protocol/log.ts';
import { type Maybe, settle } from '../../protocol/maybe.ts';
import { holdProcess } from '../../protocol/timers.ts';
import type { Bus } from '../../store/bus.ts';
import { quiet } from '../promises.ts';

/** A subscription, which is tried again until the bus accepts it. */
export interface Subscribed {
  /** Whether the bus accepted it at the first try. Never rejects. */
  readonly atOnce: Promise<boolean>;
  end(): void;
}

/** The bus as a node uses it: failures are logged, because none of them may fail a call. */
export interface NodeBus {
  /** Sends a message. Returns whether the bus took it. */
  publish(topic: string, message: unknown): Maybe<boolean>;
  /**
   * `arriving` is called when messages begin to arrive: when the bus has accepted the subscription, and after each interruption. `hasMissed`:
   * earlier ones may be lost.
   */
  subscribe(topic: string, listener: (message: unknown) => void, arriving?: (hasMissed: boolean) => void): Subscribed;
}

/** Pauses between tries to subscribe, in milliseconds. Each is twice as long as the one before. */
const PAUSE_MS = { first: 100, most: 5_000 };

/** Wraps a bus. `log`: reports only a limited number of failures. */
export function createNodeBus(bus: Bus, log: Logger): NodeBus {
  const failed = (error: unknown): void =>
    log({ level: 'error', event: 'bus-failed', message: 'The bus between the nodes failed', details: error });
  return {
    publish: (topic, message) =>
      settle(
        () => bus.publish(topic, message),
        () => true,
        (error) => {
          failed(error);
          return false;
        },
      ),
    subscribe(topic, listener, arriving) {
      let over = false;
      let unsubscribe: (() => void) | undefined;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const unlessOver = (act: () => void): void => {
        if (over) return;
        try {
          act();
        } catch (error) {
          // A message that a node of another version sent. It must not end the process.
          failed(error);
        }
      };
      const take = (message: unknown): void => unlessOver(() => listener(message));
      const arrive = (hasMissed: boolean): void => unlessOver(() => arriving?.(hasMissed));
      const stop = async (): Promise<void> => unsubscribe?.();
      const attempt = async (pause: number): Promise<boolean> => {
        try {
          unsubscribe = await bus.subscribe(topic, take, () => arrive(true));
          if (over) await stop();
          const isRetry = pause > PAUSE_MS.first;
          arrive(isRetry);
          return true;
        } catch (error) {
          failed(error);
          if (over) return false;
          timer = setTimeout(() => void attempt(Math.min(2 * pause, PAUSE_MS.most)), pause);
          holdProcess(timer, false);
          return false;
        }
      };
      return {
        atOnce: attempt(PAUSE_MS.first),
        end() {
          over = true;
          clearTimeout(timer);
          void quiet(stop());
        },
      };
    },
  };
}
