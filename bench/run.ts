// Side by side: the same load on a raw loop, on Tenon and on the official SDKs, in turns, several rounds. Compare ratios of
// medians: absolute times of a shared machine say little.  npm run bench [-- --rounds=5 --calls=50000]
import { parseArgs } from 'node:util';
import { type Cost, type Load, run } from './load.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, calls: { type: 'string', default: '100000' } },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);

const SERVERS = ['raw', 'tenon', 'official-v2', 'official-v1'] as const;
const LOADS: readonly Omit<Load, 'server' | 'calls'>[] = [
  { era: 'modern', inFlight: 64 },
  { era: 'modern', inFlight: 1 },
  { era: 'legacy', inFlight: 64 },
  { era: 'legacy', inFlight: 1 },
];

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

for (const load of LOADS) {
  const costs = new Map<string, Cost[]>();
  for (let round = 0; round < rounds; round++) {
    for (const server of SERVERS) {
      // The first official SDK does not speak the modern era.
      if (load.era === 'modern' && server === 'official-v1') continue;
      const cost = await run({ ...load, server, calls: load.inFlight === 1 ? Math.ceil(calls / 4) : calls });
      costs.set(server, [...(costs.get(server) ?? []), cost]);
    }
  }
  console.log(`\nstdio tools/call, ${load.era}, ${load.inFlight} in flight, median of ${rounds}`);
  const floor = median(costs.get('raw')!.map(({ cpu }) => cpu));
  for (const [server, list] of costs) {
    const cpu = median(list.map((cost) => cost.cpu));
    const perSecond = median(list.map((cost) => cost.perSecond));
    console.log(
      `  ${server.padEnd(12)} ${cpu.toFixed(1).padStart(6)} µs CPU per call, ${(floor / cpu).toFixed(2)} of raw, ${Math.round(perSecond).toLocaleString('en').padStart(8)} calls/s`,
    );
  }
}
