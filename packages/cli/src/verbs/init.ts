import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { type CommandLine, parsePort } from '../command-line/command-line.ts';
import { usage } from '../failure/failure.ts';
import { explainFileError } from '../failure/file-failures.ts';
import { nameFor } from '../init/names.ts';
import { type Project, projectFiles } from '../init/project.ts';
import { askFor } from '../init/questions.ts';
import type { VerbContext } from '../session/session.ts';

const DEFAULT_PORT = 3000;

function portOf(line: CommandLine): number | undefined {
  const port = parsePort(line, 'http');
  if (port === 0) throw usage(`--http must be a port, not '${line.value('http')}'`);
  return port;
}

/** Throws a usage failure if a file of the project is there already. */
function refuseExisting(folder: string, paths: Iterable<string>): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) throw usage(`${folder} is not a folder`);
  const existing = [...paths].filter((path) => existsSync(join(folder, path)));
  if (existing.length === 0) return;
  throw usage(
    `${folder} already has ${existing.join(', ')}: nothing was written`,
    'Name a new folder: tenon init my-server',
    'file_exists',
  );
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  refuseExisting(folder, files.keys());
  for (const [path, content] of files) {
    const file = join(folder, path);
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content, { flag: 'wx' });
    } catch (error) {
      throw explainFileError(error, file);
    }
  }
}

/** A path as a word of a command line. */
function shellWord(path: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(path) ? path : JSON.stringify(path);
}

/** The commands that run the project, in their order. */
function nextCommands({ name, port }: Project, folder: string): readonly string[] {
  const path = relative(process.cwd(), folder);
  return [
    ...(path === '' ? [] : [`cd ${shellWord(path)}`]),
    'npm install',
    'npm test',
    port === undefined ? `npx tenon call greet name=Ada ${name}` : 'npm start',
  ];
}

/** `tenon init [folder] [--http <port>]` */
export async function init(line: CommandLine, context: VerbContext): Promise<void> {
  const [, given, extra] = line.words;
  if (extra !== undefined || line.target !== undefined) throw usage('init takes one folder', 'tenon init my-server');
  const folder = resolve(given ?? '.');
  const port = portOf(line);
  const name = nameFor(folder);
  const asked = { name: given === undefined ? undefined : name, port, defaults: { name, port: DEFAULT_PORT } };
  // Before the questions: the answers do not change which files there are.
  refuseExisting(folder, projectFiles({ name, port }, folder).keys());
  const project = await askFor(asked, context);
  const files = projectFiles(project, folder);
  write(folder, files);
  const next = nextCommands(project, folder);
  context.screen.result({
    json: () => JSON.stringify({ folder, ...project, files: [...files.keys()], next }),
    text: () => {
      const kind = project.port === undefined ? 'a server over stdio' : `a server over HTTP, on port ${project.port}`;
      return [`Created ${project.name}: ${kind}`, '', ...next.map((command) => `  ${command}`)].join('\n');
    },
  });
}
