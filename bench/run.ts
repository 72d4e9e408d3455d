// Side by side: the same load on a raw loop, on Tenon and on others, in turns, several rounds. Compare ratios of medians: absolute
// times of a shared machine say little.
//   npm run bench [-- --rounds=5 --calls=50000 --only=http --servers=raw,tenon --load=echo]
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { npmCommand } from '../scripts/lib/npm.mjs';
import { heapKept, heapPerSession, type HttpLoad, runHttp } from './http.ts';
import type { Cost } from './measured.ts';
import { runClient } from './client.ts';
import { runStdio } from './stdio.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    calls: { type: 'string', default: '60000' },
    only: { type: 'string', default: '' },
    servers: { type: 'string', default: '' },
    load: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);

interface Comparison {
  readonly title: string;
  readonly servers: readonly string[];
  run(server: string): Promise<Cost>;
}

const stdio = (['modern', 'legacy'] as const).flatMap((era) =>
  [64, 1].map((inFlight): Comparison => ({
    title: `stdio tools/call, ${era}, ${inFlight} in flight`,
    // The first official SDK does not speak the modern era.
    servers: ['raw', 'tenon', 'official-v2', ...(era === 'modern' ? [] : ['official-v1'])],
    run: (server) => runStdio({ server, era, inFlight, calls: inFlight === 1 ? Math.ceil(calls / 4) : calls }),
  })),
);

const ALL = ['raw', 'tenon', 'mcp-lite', 'official-v2', 'official-v1'];
const MODERN = ['raw', 'tenon', 'official-v2'];
const http = (title: string, servers: readonly string[], load: Omit<HttpLoad, 'server' | 'calls'>, share: number) => ({
  title: `http ${title}`,
  servers,
  run: (server: string): Promise<Cost> =>
    // The official SDKs need several times as long.
    runHttp({ ...load, server, calls: Math.ceil((calls * share) / (server.startsWith('official') ? 6 : 1)) }),
});

const client = (
  title: string,
  transport: 'http' | 'stdio' | 'memory',
  inFlight: number,
  share: number,
): Comparison => ({
  title: `client ${title}, ${inFlight} in flight`,
  servers: ['raw', 'tenon', 'official-v2'],
  run: (client) =>
    runClient({ client, transport, inFlight, calls: Math.ceil((calls * share) / (client === 'official-v2' ? 6 : 1)) }),
});

const comparisons: readonly Comparison[] = [
  http('echo, stateless', ALL, { era: 'stateless', method: 'echo', tools: 2 }, 1),
  http('echo, stateless, 204 tools', ALL, { era: 'stateless', method: 'echo', tools: 202 }, 1),
  http('echo, in a session', ALL, { era: 'session', method: 'echo', tools: 2 }, 1),
  http('echo, modern', MODERN, { era: 'modern', method: 'echo', tools: 2 }, 1),
  http('list of 200 tools, stateless', ALL, { era: 'stateless', method: 'list', tools: 198 }, 0.2),
  http('list of 200 tools, modern', MODERN, { era: 'modern', method: 'list', tools: 198 }, 0.2),
  http('50 steps of progress, stateless', ALL, { era: 'stateless', method: 'steps', tools: 2 }, 0.1),
  http('50 steps of progress, modern', MODERN, { era: 'modern', method: 'steps', tools: 2 }, 0.1),
  ...stdio,
  client('over http', 'http', 64, 0.5),
  client('over http', 'http', 1, 0.2),
  client('over stdio', 'stdio', 64, 1),
  client('over stdio', 'stdio', 1, 0.25),
  client('and server in one process', 'memory', 64, 1),
  client('and server in one process', 'memory', 1, 1),
];

const here = dirname(fileURLToPath(import.meta.url));
if (!existsSync(join(here, 'node_modules', 'mcp-lite'))) {
  console.log('Installing what Tenon is compared with (bench/package.json)');
  const npm = npmCommand(join(here, '..'));
  const { status } = spawnSync(npm.file, [...npm.args, 'ci', '--ignore-scripts'], { cwd: here, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

for (const { title, servers, run } of comparisons) {
  if (!title.startsWith(values.only) || !title.includes(values.load)) continue;
  const chosen = servers.filter((server) => values.servers === '' || values.servers.split(',').includes(server));
  const costs = new Map<string, Cost[]>();
  for (let round = 0; round < rounds; round++)
    for (const server of chosen) costs.set(server, [...(costs.get(server) ?? []), await run(server)]);
  console.log(`\n${title}, median of ${rounds}`);
  const floors = costs.get('raw');
  for (const [server, list] of costs) {
    const cpu = median(list.map((cost) => cost.cpu));
    const perSecond = median(list.map((cost) => cost.perSecond));
    // Each round is compared with itself: the machine is not the same from one to the next.
    const shares = floors === undefined ? [] : list.map((cost, round) => floors[round]!.cpu / cost.cpu);
    const ratio = floors === undefined ? '' : `, ${median(shares).toFixed(2)} of raw`;
    console.log(
      `  ${server.padEnd(12)} ${cpu.toFixed(1).padStart(7)} µs CPU per call${ratio}, ${Math.round(perSecond).toLocaleString('en').padStart(8)} calls/s`,
    );
  }
}

if ('heap'.startsWith(values.only) && values.load === '') {
  console.log('\nheap of an idle session, 1,000 of them');
  for (const server of ALL)
    if (values.servers === '' || values.servers.split(',').includes(server)) {
      const [few, many] = [await heapPerSession(server, 2, 1_000), await heapPerSession(server, 202, 1_000)];
      console.log(
        `  ${server.padEnd(12)} ${(few / 1024).toFixed(1)} KB, with 204 tools ${(many / 1024).toFixed(1)} KB`,
      );
    }
  console.log('\nheap kept of 10,000 modern calls');
  for (const server of MODERN)
    if (values.servers === '' || values.servers.split(',').includes(server))
      console.log(`  ${server.padEnd(12)} ${((await heapKept(server)) / 1024).toFixed(1)} KB`);
}
