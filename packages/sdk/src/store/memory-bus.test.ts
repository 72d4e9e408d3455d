import { busContract } from '../../../../scripts/lib/bus-contract.ts';
import { memoryBus } from './memory-bus.ts';

busContract('in memory', () => {
  const bus = memoryBus();
  return { a: bus, b: bus };
});
