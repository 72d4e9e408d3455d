import { rounds } from '../../../../scripts/lib/soak.ts';
import { storeContract } from '../../../../scripts/lib/store-contract.ts';
import { memoryStore } from './memory.ts';

storeContract('in memory', rounds(60, 2_000), (limits) => {
  const clock = { now: 1_000 };
  return { clock, store: memoryStore({ ...limits, now: () => clock.now }) };
});
