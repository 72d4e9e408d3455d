import type { ConnectOptions } from 'tenon/client';
import type { HostOptions } from '../options.ts';

/** The trace option of a connection: calls the function of its own options, and that of the host. */
export function traceOption(
  own: ConnectOptions | undefined,
  onTrace: HostOptions['onTrace'],
  server: string,
): Pick<ConnectOptions, 'onTrace'> {
  return onTrace === undefined
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
}
