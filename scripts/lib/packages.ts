// Checks the tarball of each package with publint and attw, and by compiling strict TypeScript programs against it.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './files.ts';
import { npmCommand } from './npm.mjs';
import { type Manifest, publishedPackages } from './published.ts';
import { runTool } from './tools.ts';

/** The compilers that check types: the oldest supported TypeScript, the last one written in JavaScript, and the current one. */
const compilers = ['typescript5', 'typescript', 'typescript7'];

/** Module resolutions of users' programs, with the types in their scope. */
const consumers = [
  { file: 'portable.ts', module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2022', 'DOM'], types: [] },
  { file: 'portable.ts', module: 'ESNext', moduleResolution: 'Bundler', lib: ['ES2022', 'DOM'], types: [] },
  { file: 'node.ts', module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2022'], types: ['node'] },
];

function pack(folder: string, destination: string): string {
  const npm = npmCommand(root);
  const args = [
    ...npm.args,
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    destination,
    '--loglevel=error',
  ];
  const { stdout, stderr, status } = spawnSync(npm.file, args, {
    cwd: join(root, folder),
    encoding: 'utf8',
    shell: npm.shell,
  });
  if (status !== 0) throw new Error(`npm pack failed in ${folder}: ${stderr}`);
  // npm answers with a list, or (since 12) with a map from package name to the same entry.
  const answer = JSON.parse(stdout) as Record<string, { filename: string }>;
  const { filename } = Object.values(answer)[0] ?? { filename: '' };
  return join(destination, filename.replace('@', '').replace('/', '-'));
}

/** Unpacks the tarball of `tenon` as an installed package and compiles the programs beside this file against it. */
function checkConsumers(tarball: string, folder: string): string[] {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  const { status, stderr } = spawnSync('tar', ['-xzf', tarball, '-C', modules], { encoding: 'utf8' });
  if (status !== 0) return [`tar could not unpack ${tarball}: ${stderr}`];
  renameSync(join(modules, 'package'), join(modules, 'tenon'));
  for (const name of ['@types', 'zod', 'undici-types']) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction');
  }
  cpSync(join(root, 'scripts/fixtures/consumer'), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');

  const problems: string[] = [];
  for (const compiler of compilers) {
    for (const { file, ...options } of consumers) {
      const compilerOptions = {
        ...options,
        target: 'ES2022',
        strict: true,
        declaration: true,
        noEmit: true,
        skipLibCheck: false,
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
      const result = runTool(compiler, ['-p', folder], { cwd: folder, capture: true, command: 'tsc' });
      if (result.status !== 0) {
        problems.push(`${versionOf(compiler)}, ${file}, ${options.moduleResolution}:\n${result.output.trim()}`);
      }
    }
  }
  return problems;
}

function versionOf(name: string) {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
    version: string;
  };
  return `TypeScript ${version}`;
}

/** The command and the servers are programs: nobody imports them. */
function hasTypes({ exports = {} }: Manifest): boolean {
  return Object.values(exports).some((target) => typeof target === 'object' && 'types' in target);
}

/** Packs and checks every package. Returns the problems as text. */
export function checkPackages(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-pack-'));
  try {
    const problems: string[] = [];
    const packed = publishedPackages().map((each) => ({ ...each, tarball: pack(each.folder, folder) }));
    for (const { tarball, manifest } of packed) {
      const result = runTool('publint', ['run', tarball, '--strict'], { capture: true });
      if (result.status !== 0) problems.push(`publint:\n${result.output.trim()}`);
      if (!hasTypes(manifest)) continue;
      const types = runTool('@arethetypeswrong/cli', [tarball, '--profile', 'esm-only', '--no-emoji', '--no-color'], {
        capture: true,
        command: 'attw',
      });
      if (types.status !== 0) problems.push(`attw:\n${types.output.trim()}`);
    }
    const sdk = packed.find(({ manifest }) => manifest.name === 'tenon')!.tarball;
    return [...problems, ...checkConsumers(sdk, join(folder, 'consumer'))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
