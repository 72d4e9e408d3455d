// A cluster on this machine: a database, several nodes and a load balancer that deals requests in turn.
//   npm run cluster [-- --engine=postgres --nodes=3 --port=3000]
//   npm run cluster -- cost [--engine=postgres]
//   npm run cluster -- growth [--engine=postgres]
//   npm run cluster -- chaos [--engine=postgres --kills=500 --acknowledged=10000 --seed=1]
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startBalancer } from './balancer.ts';
import { type EngineName, ENGINES } from './engines.ts';
import { NodeProcess } from './node-process.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'postgres' },
    nodes: { type: 'string', default: '3' },
    port: { type: 'string', default: '3000' },
    kills: { type: 'string', default: '500' },
    acknowledged: { type: 'string', default: '10000' },
    clients: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
if (!Object.hasOwn(ENGINES, values.engine)) {
  console.error(`There is no engine '${values.engine}'. Engines: ${Object.keys(ENGINES).join(', ')}`);
  process.exit(1);
}
const name = values.engine as EngineName;
const [command = 'serve'] = positionals;
if (command === 'chaos') await chaos();
else if (command === 'cost') await (await import('./cost.ts')).printCosts(name);
else if (command === 'growth') await (await import('./growth.ts')).printGrowth(name);
else if (command === 'serve') await serve();
else {
  console.error(`There is no command '${command}'. Commands: serve (the default), chaos, cost, growth`);
  process.exit(1);
}

/** Runs the cluster until it is interrupted. */
async function serve(): Promise<void> {
  const engine = await ENGINES[name]();
  const { store, bus } = engine;
  const nodes = Array.from({ length: Number(values.nodes) }, () => new NodeProcess({ store, bus }));
  const balancer = await startBalancer(Number(values.port));
  balancer.ports = await Promise.all(nodes.map(({ port }) => port));
  console.log(`${name}: ${store?.replace(/:[^:@/]+@/, ':…@') ?? 'each node has its own'}`);
  for (const [at, { pid }] of nodes.entries()) console.log(`node ${pid}: http://127.0.0.1:${balancer.ports[at]}/mcp`);
  console.log(
    `\nAll of them, in turn: ${balancer.url}\nTry: npx tenon call node ${balancer.url}\nCtrl-C ends everything.`,
  );
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  balancer.close();
  await Promise.all(nodes.map((node) => node.end('SIGTERM')));
  await engine.delete();
  // Nothing is left to do, whatever else would keep this process.
  process.exit();
}

/** Breaks the cluster at random, and tells what did not hold. */
async function chaos(): Promise<void> {
  const { runChaos } = await import('./chaos/chaos.ts');
  let shownAt = 0;
  const report = await runChaos({
    engine: name,
    seed: Number(values.seed),
    kills: Number(values.kills),
    acknowledged: Number(values.acknowledged),
    nodes: Number(values.nodes),
    clientsPerKind: Number(values.clients),
    onProgress(text) {
      if (performance.now() - shownAt < 10_000) return;
      shownAt = performance.now();
      console.log(text);
    },
  });
  const { history, violations, ...figures } = report;
  for (const line of [...history.counts(), '', ...history.failures().slice(0, 40), '']) console.log(line);
  for (const [figure, value] of Object.entries(figures)) console.log(`${figure}: ${value}`);
  console.log(`seed: ${values.seed}`);
  for (const violation of violations.slice(0, 50)) console.error(`VIOLATION ${violation}`);
  console.log(`${violations.length} violations`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
