import { test } from 'node:test';
import { until } from '../../../../../scripts/lib/until.ts';
import type { Bus } from '../../store/bus.ts';
import { memoryBus } from '../../store/memory-bus.ts';
import { joinCluster } from './cluster.ts';
import { createNodeBus } from './node-bus.ts';

test('nodes find each other, also if the bus was away when one of them joined', async () => {
  const bus = memoryBus();
  let isAway = true;
  const late: Bus = {
    publish: (topic, message) => bus.publish(topic, message),
    subscribe(topic, listener) {
      if (isAway) throw Object.assign(new Error('away'), { code: 'unavailable' });
      return bus.subscribe(topic, listener);
    },
  };
  const first = joinCluster(
    createNodeBus(bus, () => {}),
    () => {},
  );
  const second = joinCluster(
    createNodeBus(late, () => {}),
    () => {},
  );
  await until(() => isAway && !first.hasOthers && !second.hasOthers);
  isAway = false;
  await until(() => first.hasOthers && second.hasOthers);
  first.close();
  second.close();
});
