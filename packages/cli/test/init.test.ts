import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, matchesGlob } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { root } from '../../../scripts/lib/files.ts';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { npmCommand } from '../../../scripts/lib/npm.mjs';
import { until } from '../../../scripts/lib/until.ts';
import { VERSIONS } from '../src/init/project.ts';
import { folder, inTerminal, KEYS } from './chat-terminal.ts';
import { failureIn, tenon } from './run-tenon.ts';

const OLDEST = join(root, 'node_modules/node20-linux-x64/bin/node');

function filesIn(project: string): string[] {
  return readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(project.length + 1))
    .sort();
}

function readJson(path: string): any {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Installs the packages of a project from this repository. `npm run release-trial` lets npm install them. */
function link(project: string): void {
  const { dependencies, devDependencies } = readJson(join(project, 'package.json'));
  for (const name of [...Object.keys({ ...dependencies, ...devDependencies }), 'undici-types']) {
    if (name === 'tsc-watch') continue;
    const target = join(project, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(root, 'node_modules', name === 'typescript' ? 'typescript7' : name), target, 'junction');
  }
  mkdirSync(join(project, 'node_modules/.bin'));
  symlinkSync('../typescript/bin/tsc', join(project, 'node_modules/.bin/tsc'));
}

/** Runs a script of the project with npm. */
function script(project: string, name: string, node = process.execPath) {
  const npm = npmCommand(root);
  const path = [dirname(node), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH: path, NODE_TEST_CONTEXT: undefined };
  return spawnSync(npm.file, [...npm.args, 'run', name], { cwd: project, env, encoding: 'utf8', shell: npm.shell });
}

const empty = folder();
/** A project over stdio, compiled. */
const stdio = join(empty, 'weather');

test('a project is made in a new folder, and the next commands are printed', async () => {
  const { code, stdout } = await tenon(['init', 'weather', '--text'], { cwd: empty });
  assert.equal(code, 0);
  assert.equal(
    stdout,
    'Created weather: a server over stdio\n\n  cd weather\n  npm install\n  npm test\n  npx tenon call greet name=Ada weather\n',
  );
  const files = ['.dockerignore', '.gitignore', '.mcp.json', 'Dockerfile', 'README.md', 'package.json', 'src/main.ts'];
  assert.deepEqual(filesIn(stdio), [...files, 'src/server.test.ts', 'src/server.ts', 'tsconfig.json']);
  for (const path of filesIn(stdio))
    assert.doesNotMatch(readFileSync(join(stdio, path), 'utf8'), /my-server|undefined/, path);
});

for (const [name, node] of [
  ['this Node', process.execPath],
  ['the oldest Node', OLDEST],
] as const)
  test(`its tests pass with ${name}`, { skip: !existsSync(node) && 'npm has that Node for Linux on x64 only' }, () => {
    if (!existsSync(join(stdio, 'node_modules'))) link(stdio);
    const { status, stdout, stderr } = script(stdio, 'test', node);
    assert.equal(status, 0, `${stdout}${stderr}`);
    assert.match(stdout, /pass 5\b/);
  });

test('a host that reads its .mcp.json can call it', async () => {
  const called = await tenon(['call', 'greet', 'name=Ada', 'weather', '--text'], { cwd: stdio });
  assert.equal(called.stdout, 'Hello, Ada!\n', called.stderr);
});

test('a project over HTTP serves the URL in its .mcp.json, and answers the health check of its container file', async () => {
  const port = await freePort();
  const project = join(empty, 'web');
  assert.equal((await tenon(['init', 'web', '--http', String(port)], { cwd: empty })).code, 0);
  link(project);
  const built = script(project, 'build');
  assert.equal(built.status, 0, `${built.stdout}${built.stderr}`);
  const dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8');
  const settings = /^ENV (PORT=.*)$/m
    .exec(dockerfile)![1]!
    .split(' ')
    .map((pair) => pair.split('='));
  const env = { ...process.env, ...Object.fromEntries(settings) };
  const child = spawn(process.execPath, ['dist/main.js'], { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] });
  after(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until(() => said.includes('\n') || child.exitCode !== null);
  assert.equal(said, `Serving web at http://127.0.0.1:${port}/mcp\n`);
  const called = await tenon(['call', 'greet', 'name=Ada', 'web', '--text'], { cwd: project });
  assert.equal(called.stdout, 'Hello, Ada!\n', called.stderr);
  const [command, ...args] = JSON.parse(/CMD (\[.*fetch.*\])$/m.exec(dockerfile)![1]!);
  assert.equal(command, 'node');
  assert.equal(spawnSync(process.execPath, args).status, 0);
  child.kill('SIGTERM');
  await until(() => child.exitCode !== null || child.signalCode !== null);
  assert.equal(spawnSync(process.execPath, args).status, 1, 'the check fails if there is no server');
});

test('existing files are named and not overwritten, and nothing is written', async () => {
  const given = folder({ 'README.md': 'mine', 'tsconfig.json': {} });
  const outcome = await tenon(['init'], { cwd: given });
  assert.equal(outcome.code, 2);
  assert.equal(failureIn(outcome)['message'], `${given} already has README.md, tsconfig.json: nothing was written`);
  assert.deepEqual(filesIn(given), ['README.md', 'tsconfig.json']);
  assert.equal(readFileSync(join(given, 'README.md'), 'utf8'), 'mine');
});

test('an invalid port, a file instead of a folder and extra arguments are rejected', async () => {
  const given = folder({ file: '' });
  for (const [args, message] of [
    [['init', 'new', '--http', '0'], /--http must be a port, not '0'/],
    [['init', 'file'], /file is not a folder/],
    [['init', 'a', 'b'], /init takes one folder/],
  ] as const) {
    const outcome = await tenon(args, { cwd: given });
    assert.equal(outcome.code, 2);
    assert.match(String(failureIn(outcome)['message']), message);
  }
  assert.deepEqual(filesIn(given), ['file']);
});

test('a person in a terminal is asked for the name and the transport', async () => {
  const given = folder();
  const session = inTerminal(['init'], { cwd: given, env: { XDG_STATE_HOME: join(empty, 'state') } });
  await session.shows('Name of the server');
  await session.type(...'My', KEYS.enter);
  await session.shows('lower-case letters');
  await session.type(KEYS.backspace, KEYS.backspace, ...'notes', KEYS.enter);
  await session.shows('How do clients reach it?');
  await session.type(KEYS.down, KEYS.enter);
  assert.equal(await session.ends(), 0, session.screen());
  assert.match(session.screen(), /Created notes: a server over HTTP, on port 3000\n\n {2}npm install\n/);
  assert.deepEqual(readJson(join(given, '.mcp.json')).mcpServers, {
    notes: { type: 'http', url: 'http://127.0.0.1:3000/mcp' },
  });
});

test('Enter takes the defaults, and Ctrl-C writes nothing', async () => {
  const given = folder();
  const session = inTerminal(['init', 'made'], { cwd: given, env: { XDG_STATE_HOME: join(empty, 'state') } });
  await session.shows('How do clients reach it?');
  await session.type(KEYS.ctrlC);
  assert.equal(await session.ends(), 130);
  assert.deepEqual(filesIn(given), []);
  const again = inTerminal(['init', 'made'], { cwd: given, env: { XDG_STATE_HOME: join(empty, 'state') } });
  await again.shows('How do clients reach it?');
  await again.type(KEYS.enter);
  assert.equal(await again.ends(), 0, again.screen());
  assert.match(again.screen(), /Created made: a server over stdio/);
});

test('a project has the versions of other packages that this repository is tested with', () => {
  const { devDependencies } = readJson(join(root, 'package.json'));
  assert.equal(VERSIONS.zod, `^${devDependencies.zod}`);
  assert.equal(VERSIONS['@types/node'], `^${devDependencies['@types/node']}`);
  assert.equal(VERSIONS.typescript, `^${devDependencies.typescript7.replace('npm:typescript@', '')}`);
});

test('docs/init.md shows the server of the template', () => {
  const source = readFileSync(join(root, 'packages/cli/templates/common/src/server.ts'), 'utf8');
  const page = readFileSync(join(root, 'docs/init.md'), 'utf8');
  assert.ok(page.includes(`\`\`\`ts\n${source.replace('my-server', 'weather')}\`\`\`\n`));
});

test('no test gets into the image', () => {
  const ignored = readFileSync(join(stdio, '.dockerignore'), 'utf8').trim().split('\n');
  const built = filesIn(stdio).filter(
    (path) => path.startsWith('src/') && !ignored.some((one) => matchesGlob(path, one)),
  );
  assert.deepEqual(built, ['src/main.ts', 'src/server.ts']);
});

test('a container file has a fixed Node, runs as a user without rights, and copies only files of the project', async () => {
  for (const name of ['stdio', 'http']) {
    const lines = readFileSync(join(root, 'packages/cli/templates', name, 'Dockerfile'), 'utf8')
      .replaceAll('\\\n', '')
      .split('\n')
      .filter((line) => line !== '');
    for (const line of lines) assert.match(line, /^(?:FROM|WORKDIR|COPY|RUN|ENV|USER|EXPOSE|HEALTHCHECK|CMD) \S/);
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    for (const line of lines.filter((each) => each.startsWith('FROM '))) assert.match(line, /^FROM node:24-slim\b/);
    assert.equal(last.filter((line) => line === 'USER node').length, 1);
    assert.deepEqual(JSON.parse(last.at(-1)!.replace('CMD ', '')), ['node', 'dist/main.js']);
    assert.equal(
      last.some((line) => line.startsWith('HEALTHCHECK ')),
      name === 'http',
    );
    const copied = lines.flatMap((line) => (/^COPY (?!--from)/.test(line) ? line.split(' ').slice(1, -1) : []));
    const made = ['package-lock.json', ...filesIn(stdio).map((path) => path.split('/')[0])];
    for (const path of copied) assert.ok(made.includes(path), path);
  }
});
