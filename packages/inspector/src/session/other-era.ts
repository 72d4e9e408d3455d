import type { ConnectOptions, Revision } from 'tenon/client';
import type { Recorder } from '../record/recorder.ts';
import type { Target } from './contract.ts';
import { openServer, withoutLogin } from './open.ts';

const LEGACY: Revision = '2025-11-25';

/**
 * Tries the legacy era on a separate connection that ends at once. If the server does not support it, the trace shows that, and
 * it is not a fault.
 */
export async function tryLegacy(
  target: Target,
  recorder: Recorder,
  options: Pick<ConnectOptions, 'auth' | 'limits' | 'signal'>,
  hide: (secret: string) => void,
): Promise<void> {
  try {
    const other = await openServer(
      { ...target, revision: LEGACY },
      recorder,
      { ...options, ...withoutLogin(options) },
      hide,
    );
    await other.close();
  } catch {
    // The trace shows the failure.
  }
}
