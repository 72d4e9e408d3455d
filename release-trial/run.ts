// Publishes the packages to a registry on this machine, and uses them from there as a newcomer would.
//   npm run release-trial             tries everything that the documentation promises, on the oldest Node and the current one
//   npm run release-trial -- serve    only keeps the registry running, and prints its URL
import process from 'node:process';
import { parseArgs } from 'node:util';
import { installPinned } from '../scripts/lib/pinned-install.ts';
import { publishAll, startRegistry } from './registry.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { port: { type: 'string' } } });
const [task = 'try', ...more] = positionals;
if (!['try', 'serve'].includes(task) || more.length > 0) {
  console.error('npm run release-trial [-- serve [--port=4873]]');
  process.exit(2);
}
installPinned(import.meta.dirname, 'Installing the registry (release-trial/package.json), about 65 MB');

const registry = await startRegistry(values.port === undefined ? undefined : Number(values.port));
publishAll(registry);
if (task === 'serve') {
  console.log(`The packages are at ${registry.url} until Ctrl-C. In a shell of another folder:

  export HOME=$(mktemp -d)    # a user for whom npm has cached nothing: every trial publishes the same versions
  npm config set registry=${registry.url}
  npm install tenon @tenon/cli zod
`);
  await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
}
await registry.close();
