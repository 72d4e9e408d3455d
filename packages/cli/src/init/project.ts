// The files of a new project. Those in `templates` are a working project called my-server on port 3000; the manifest is made here.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { packageSpecs } from './package-specs.ts';

export interface Project {
  /** The name of the package and of the server. */
  readonly name: string;
  /** The port of a server over HTTP; undefined for a server over stdio. */
  readonly port: number | undefined;
}

/** Other packages, which the repository of this command is tested with. */
export const VERSIONS = {
  zod: '^4.6.7',
  '@types/node': '^24.19.2',
  typescript: '^7.0.2',
  'tsc-watch': '^7.2.1',
} as const;

/** npm does not publish files with the real names, or gives them a meaning in this package. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['gitignore', '.gitignore'],
  ['dockerignore', '.dockerignore'],
  ['mcp.json', '.mcp.json'],
]);

function templateFiles(name: string): Map<string, string> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@tenon/cli/package.json')), 'templates', name);
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  return new Map(paths.map((path) => [NAMES.get(path) ?? path, readFileSync(join(folder, path), 'utf8')]));
}

function manifest({ name, port }: Project, folder: string): string {
  const own = packageSpecs(folder);
  const isHttp = port !== undefined;
  const { zod, 'tsc-watch': tscWatch, ...development } = VERSIONS;
  return JSON.stringify(
    {
      name,
      version: '0.1.0',
      private: true,
      type: 'module',
      engines: { node: '>=20.19' },
      scripts: {
        build: 'tsc',
        start: 'tsc && node dist/main.js',
        dev: isHttp ? 'tsc-watch --onSuccess "node dist/main.js"' : 'tsc --watch',
        // The shell expands the pattern, because Node 20 does not.
        test: 'tsc && node --test dist/*.test.js',
        inspect: `tsc && tenon inspect ${name}`,
      },
      dependencies: { tenon: own.tenon, zod },
      devDependencies: {
        '@tenon/cli': own['@tenon/cli'],
        ...development,
        'tsc-watch': isHttp ? tscWatch : undefined,
      },
    },
    undefined,
    2,
  );
}

/** The files of the project in this folder, by their paths in it. */
export function projectFiles(project: Project, folder: string): ReadonlyMap<string, string> {
  const { name, port } = project;
  const files = new Map([
    ['package.json', `${manifest(project, folder)}\n`],
    ...templateFiles('common'),
    ...templateFiles(port === undefined ? 'stdio' : 'http'),
  ]);
  return new Map(
    [...files]
      .map(([path, text]) => [path, text.replaceAll('my-server', name).replaceAll('3000', String(port))] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}
