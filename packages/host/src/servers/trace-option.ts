import type { ConnectOptions } from 'tenon/client';
import type { HostOptions } from '../options.ts';

/** Who looks on at a connection: whoever looks on at all of them, and whoever the options of this one name. */
export const traceOption = (
  own: ConnectOptions | undefined,
  onTrace: HostOptions['onTrace'],
  server: string,
): Pick<ConnectOptions, 'onTrace'> =>
  onTrace === undefined
    ? {}
    : {
        onTrace(entry) {
          try {
            own?.onTrace?.(entry);
          } finally {
            onTrace(entry, server);
          }
        },
      };
