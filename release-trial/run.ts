// Publishes the packages to a registry on this machine, and uses them from there as a newcomer would.
//   npm run release-trial             tries everything that the documentation promises, on the oldest Node and the current one
//   npm run release-trial -- serve    only keeps the registry running, and prints its URL
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { root } from '../scripts/lib/files.ts';
import { freePort } from '../scripts/lib/free-port.ts';
import { installPinned } from '../scripts/lib/pinned-install.ts';
import { newcomer } from './newcomer.ts';
import { publishAll, type Registry, startRegistry } from './registry.ts';
import { steps } from './steps.ts';

const USAGE = 'npm run release-trial [-- [--node=20] [serve [--port=4873]]]';

/** The Nodes that the packages are tried with. */
function nodes(): readonly string[] {
  const oldest = join(root, 'node_modules/node20-linux-x64/bin/node');
  if (!existsSync(oldest)) console.log('Node 20 is left out: npm has it for Linux on x64 only');
  return [oldest, process.execPath].filter((path) => existsSync(path));
}

function versionOf(node: string): string {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1);
}

/** Tries all steps with one Node. Returns how many failed. */
async function tryWith(node: string, registry: Registry): Promise<number> {
  const version = versionOf(node);
  const user = newcomer(node, registry);
  let failed = 0;
  try {
    for (const { name, run } of steps(await freePort())) {
      const started = performance.now();
      const failure = await run(user, Number.parseInt(version, 10) >= 23).then(
        () => undefined,
        (error: unknown) => error,
      );
      const time = `${((performance.now() - started) / 1000).toFixed(1)} s`;
      console.log(`${failure === undefined ? 'ok  ' : 'FAIL'} Node ${version}: ${name} (${time})`);
      if (failure === undefined) continue;
      failed += 1;
      console.log(`  ${String((failure as Error).message ?? failure).replaceAll('\n', '\n  ')}`);
    }
  } finally {
    await user.leave();
  }
  return failed;
}

async function serve(registry: Registry): Promise<void> {
  console.log(`The packages are at ${registry.url} until Ctrl-C. In a shell of another folder:

  export HOME=$(mktemp -d)    # a user for whom npm has cached nothing: every trial publishes the same versions
  npm config set registry=${registry.url}
  npm install tenon @tenon/cli zod
`);
  const interrupted = new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  await Promise.race([interrupted, registry.failed]);
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string' }, node: { type: 'string' } },
});
const [task = 'try', ...more] = positionals;
if (!['try', 'serve'].includes(task) || more.length > 0) {
  console.error(USAGE);
  process.exit(2);
}
const chosen = nodes().filter((node) => values.node === undefined || versionOf(node).startsWith(`${values.node}.`));
if (chosen.length === 0) {
  console.error(`There is no Node ${values.node} to try. ${USAGE}`);
  process.exit(2);
}
installPinned(import.meta.dirname, 'Installing the registry (release-trial/package.json), about 65 MB');

const registry = await startRegistry(values.port === undefined ? undefined : Number(values.port));
try {
  publishAll(registry);
  if (task === 'serve') await serve(registry);
  else {
    let failed = 0;
    for (const node of chosen) failed += await tryWith(node, registry);
    console.log(failed === 0 ? 'Everything works.' : `${failed} steps failed.`);
    process.exitCode = failed === 0 ? 0 : 1;
  }
} finally {
  await registry.close();
}
