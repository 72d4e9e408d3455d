import type { Limits } from '../../protocol/limits.ts';
import type { CallRates } from './call-rates.ts';
import type { CallRefusal, ServerCall } from './server-call.ts';

/**
 * Says why a call may not begin now, because its caller sent too many; undefined when it may. The code for it is loaded with the first call:
 * those that arrive until then, within a few milliseconds, are not counted.
 */
export type RefuseRate = (call: ServerCall) => CallRefusal | undefined;

/** Limits how often each caller calls. */
export function limitRates(limits: Limits): RefuseRate {
  let rates: CallRates | undefined;
  let loading: Promise<void> | undefined;
  return (call) => {
    loading ??= import('./call-rates.ts').then((loaded) => void (rates = new loaded.CallRates(limits)));
    return rates?.refuse(call);
  };
}
