// What is tried with each Node, in this order. A step throws an error if something is not as it should be.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, root } from '../scripts/lib/files.ts';
import { publishedPackages } from '../scripts/lib/published.ts';
import { layOut, readPage, type Snippet, withoutTimes } from '../scripts/lib/snippets.ts';
import { runTool } from '../scripts/lib/tools.ts';
import { until } from '../scripts/lib/until.ts';
import { OWN_SERVERS } from '../packages/cli/src/own-servers.ts';
import { runContainerFile } from './container-file.ts';
import type { Newcomer } from './newcomer.ts';

export interface Step {
  readonly name: string;
  run(user: Newcomer, hasTypeScript: boolean): Promise<void>;
}

/** The pages that a newcomer reads first. */
const PAGES = ['README.md', 'docs/getting-started.md', 'docs/init.md'];
/** The packages that the snippets of these pages use. */
const INSTALL = 'npm install tenon @tenon/cli @tenon/host zod';
const INSTALL_TYPES = 'npm install --save-dev @types/node@24';

function makeFolder({ folder }: Newcomer, name: string): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'package.json'), '{ "private": true, "type": "module" }\n');
}

/** Compiles a folder. `isOwn`: whether a line of the compiler's output counts. */
function compile(folder: string, compiler: string, isOwn: (line: string) => boolean = () => true): void {
  const { output } = runTool(compiler, ['-p', folder, '--pretty', 'false'], {
    cwd: folder,
    capture: true,
    command: 'tsc',
  });
  const problems = output.split('\n').filter((line) => line !== '' && isOwn(line));
  assert.deepEqual(problems, [], compiler);
}

/** The command that runs a snippet. */
function commandOf({ name, language }: Snippet, isCompiled: boolean): string {
  if (language === 'sh') return `sh -e ${name}`;
  return isCompiled ? `node compiled/${name.replace(/\.ts$/, '.js')}` : `node ${name}`;
}

/** What a Node that does not run TypeScript cannot do, in a snippet: it starts a file with types, or it needs `node:sqlite`. */
const NEEDS_NEWER = /\bnode\b[^\n]*\.ts\b|sqlite:/;

/**
 * Runs every snippet of these pages that shows its output, with the packages in `modules`. A Node that does not run TypeScript gets the
 * compiled snippets, and only those that it can run.
 */
async function runSnippets(
  user: Newcomer,
  pages: readonly string[],
  modules: string,
  hasTypeScript: boolean,
): Promise<void> {
  const snippets = pages.flatMap((page) => readPage(page, readFileSync(join(root, page), 'utf8')).snippets);
  const { folder, remove } = layOut(snippets, modules);
  try {
    if (!hasTypeScript) {
      const config = join(folder, 'tsconfig.json');
      const { compilerOptions, ...rest } = JSON.parse(readFileSync(config, 'utf8'));
      const options = { ...compilerOptions, noEmit: false, rootDir: '.', outDir: 'compiled' };
      writeFileSync(config, JSON.stringify({ ...rest, compilerOptions: options }));
      compile(folder, 'typescript7');
    }
    const shown = snippets.filter(({ run, lines }) => run && (hasTypeScript || !NEEDS_NEWER.test(lines.join('\n'))));
    assert.ok(shown.length > 5, 'the snippets were found');
    // The command `node` of the packages of this repository is another Node.
    const path = `PATH="$(dirname "$(command -v node)"):$PWD/node_modules/.bin:$PATH"`;
    for (const snippet of shown) {
      const output = await user.run(`cd ${folder}\n${path}\n${commandOf(snippet, !hasTypeScript)}`);
      const wanted = snippet.output.join('\n').trimEnd();
      assert.equal(withoutTimes(output.trimEnd()), withoutTimes(wanted), `${snippet.page}, ${snippet.name}`);
    }
  } finally {
    remove();
  }
}

/** All pages of the documentation. Templates are pages of other projects. */
function allPages(): string[] {
  return filesUnder('.').filter((path) => path.endsWith('.md') && !path.includes('/templates/'));
}

/** The paths of all entry points of all packages. */
function entryPoints(): string[] {
  return publishedPackages().flatMap(({ manifest: { name, exports = {} } }) =>
    Object.keys(exports)
      .filter((path) => !path.endsWith('.json'))
      .map((path) => path.replace(/^\./, name)),
  );
}

/** The entry points that have types: those of the servers have none. */
function typedEntryPoints(): string[] {
  return entryPoints().filter((path) => !path.startsWith('@tenon/server-'));
}

/** Installs all packages, and those that some of their entry points need in addition. */
async function installAll(user: Newcomer): Promise<void> {
  makeFolder(user, 'all');
  const specs = publishedPackages().flatMap(({ manifest: { name, version, peerDependencies = {} } }) => [
    `${name}@${version}`,
    ...Object.entries(peerDependencies).map(([peer, range]) => `${peer}@${range}`),
  ]);
  await user.run(`npm install ${[...new Set(specs)].map((spec) => `'${spec}'`).join(' ')}`, { cwd: 'all' });
  await user.run(INSTALL_TYPES, { cwd: 'all' });
}

async function importAll(user: Newcomer): Promise<void> {
  const code = entryPoints().map((path) => `await import('${path}');`);
  writeFileSync(join(user.folder, 'all/import.js'), code.join('\n'));
  await user.run('node import.js', { cwd: 'all' });
}

async function resolveTypes(user: Newcomer): Promise<void> {
  const folder = join(user.folder, 'all');
  const code = typedEntryPoints().map((path, at) => `import * as e${at} from '${path}';\nexport { e${at} };`);
  writeFileSync(join(folder, 'types.ts'), code.join('\n'));
  for (const [compiler, module, moduleResolution] of [
    ['typescript5', 'NodeNext', 'NodeNext'],
    ['typescript7', 'NodeNext', 'NodeNext'],
    ['typescript7', 'Node16', 'Node16'],
    ['typescript7', 'ESNext', 'Bundler'],
  ] as const) {
    const compilerOptions = {
      ...{ module, moduleResolution, target: 'ES2022', lib: ['ES2022', 'ESNext.Disposable', 'DOM'], types: ['node'] },
      ...{ strict: true, noEmit: true, skipLibCheck: false },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.ts'] }));
    compile(folder, compiler, isOwn);
  }
}

/** Whether an error is not in the declarations of a package of others. */
function isOwn(line: string): boolean {
  return (
    /error TS/.test(line) && (!line.startsWith('node_modules/') || /^node_modules\/(?:@tenon\/|tenon\/)/.test(line))
  );
}

/** The commands that `tenon init` prints: without the first one, which only changes the folder. */
async function makeProject(user: Newcomer, folder: string, options = ''): Promise<string[]> {
  const lines = (await user.run(`npx tenon init ${folder} ${options} --text`, { cwd: 'app' })).split('\n');
  const commands = lines.flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []));
  assert.equal(commands.shift(), `cd ${folder}`);
  return commands;
}

async function tryStdioProject(user: Newcomer): Promise<void> {
  const commands = await makeProject(user, 'weather');
  let output = '';
  for (const command of commands) output = await user.run(command, { cwd: 'app/weather' });
  assert.match(output, /Hello, Ada!/);
  assert.match(await user.run('npx tenon list tools weather --text', { cwd: 'app/weather' }), /greet\(name: string\)/);
  const source = 'npx tenon call greet name=Ada --text -- npx tenon run src/server.ts';
  assert.equal(await user.run(source, { cwd: 'app/weather' }), 'Hello, Ada!\n');
  await runContainerFile(user, 'app/weather');
}

async function tryHttpProject(user: Newcomer, port: number): Promise<void> {
  const commands = await makeProject(user, 'web', `--http ${port}`);
  const last = commands.pop()!;
  for (const command of commands) await user.run(command, { cwd: 'app/web' });
  for (const command of [last, 'npm run dev']) {
    const running = user.start(command, { cwd: 'app/web' });
    await until(
      () => running.output().includes('Serving web at') || running.isOver(),
      () => running.output(),
    );
    const answer = await user.run('npx tenon call greet name=Ada web --text', { cwd: 'app/web' });
    assert.equal(answer, 'Hello, Ada!\n');
    await running.stop();
  }
  await runContainerFile(user, 'app/web');
}

/** Runs the included servers, of which none is installed. */
async function runServers(user: Newcomer): Promise<void> {
  for (const name of OWN_SERVERS.keys())
    assert.match(await user.run(`npx tenon run ${name} --help`, { cwd: 'app' }), new RegExp(`^${name}: `), name);
  const called = await user.run('npx tenon call convert_time --args @time.json --text -- npx tenon run time', {
    cwd: 'app',
  });
  assert.match(called, /Asia\/Tokyo/);
}

export function steps(port: number): readonly Step[] {
  return [
    {
      name: 'npx --yes tenon --version, with nothing installed',
      run: async (user) => {
        const { version } = publishedPackages()[0]!.manifest;
        assert.equal(await user.run('npx --yes tenon --version'), `${version}\n`);
      },
    },
    {
      name: INSTALL,
      run: async (user) => {
        makeFolder(user, 'app');
        const time = { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' };
        writeFileSync(join(user.folder, 'app/time.json'), JSON.stringify(time));
        await user.run(INSTALL, { cwd: 'app' });
        await user.run(INSTALL_TYPES, { cwd: 'app' });
      },
    },
    {
      name: `the snippets of ${PAGES.join(', ')}`,
      run: (user, hasTypeScript) => runSnippets(user, PAGES, join(user.folder, 'app/node_modules'), hasTypeScript),
    },
    {
      name: 'the snippets of all pages, with the packages of this repository',
      run: (user, hasTypeScript) => runSnippets(user, allPages(), join(root, 'node_modules'), hasTypeScript),
    },
    { name: 'npx tenon init, and what it prints', run: tryStdioProject },
    { name: 'npx tenon init --http, and what it prints', run: (user) => tryHttpProject(user, port) },
    { name: `npx tenon run, for each of the ${OWN_SERVERS.size} servers`, run: runServers },
    { name: 'npm install, of all packages', run: installAll },
    { name: 'import of every entry point', run: importAll },
    {
      name: 'types of every entry point, with the oldest and the newest TypeScript, and every resolution of modules',
      run: resolveTypes,
    },
  ];
}
