// Publishes the packages, and says what prevents it.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { root } from './files.ts';
import { npmCommand } from './npm.mjs';
import { type Manifest, publishedPackages } from './published.ts';

export interface Release {
  /** The git tag, such as v0.1.0. */
  readonly tag: string;
  readonly manifests: readonly Manifest[];
  readonly changelog: string;
}

/** What must be mended before the release. */
export function releaseProblems({ tag, manifests, changelog }: Release): string[] {
  const version = tag.replace(/^v/, '');
  if (!/^v\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/.test(tag)) return [`${tag} is not a tag of a version, such as v0.1.0`];
  const names = new Set(manifests.map(({ name }) => name));
  const problems = manifests.flatMap(({ name, version: own, dependencies = {}, peerDependencies = {} }) => [
    ...(own === version ? [] : [`${name} has the version ${own}, and the tag is ${tag}`]),
    ...Object.entries({ ...dependencies, ...peerDependencies })
      .filter(([other, range]) => names.has(other) && range !== version)
      .map(([other, range]) => `${name} needs ${other} ${range}, not ${version}`),
  ]);
  const heading = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm');
  if (!heading.test(changelog)) problems.push(`CHANGELOG.md has no heading ## [${version}] - <date>`);
  return problems;
}

/**
 * Writes the address of the repository into the manifests, which npm compares with the one that the workflow runs for. `repository`: its owner
 * and name.
 */
export function setRepository(repository: string): void {
  for (const { folder } of publishedPackages()) {
    const path = join(root, folder, 'package.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
    const address = { type: 'git', url: `git+https://github.com/${repository}.git`, directory: folder };
    writeFileSync(path, `${JSON.stringify({ ...manifest, repository: address }, undefined, 2)}\n`);
  }
}

function runNpm(args: readonly string[], folder: string): { readonly status: number | null; readonly output: string } {
  const npm = npmCommand(root);
  const { status, stdout, stderr } = spawnSync(npm.file, [...npm.args, ...args, '--loglevel=error'], {
    cwd: join(root, folder),
    encoding: 'utf8',
    shell: npm.shell,
    env: process.env,
  });
  return { status, output: `${stdout}${stderr}` };
}

/** Publishes every package that is not published yet, so that a release that failed halfway can be repeated. `options`: for npm. */
export function publishPackages(options: readonly string[], log: (line: string) => void): void {
  for (const { folder, manifest } of publishedPackages()) {
    const { name, version } = manifest;
    const tag = version.includes('-') ? 'next' : 'latest';
    const { status, output } = runNpm(['publish', '--ignore-scripts', `--tag=${tag}`, ...options], folder);
    if (output.includes('cannot publish over')) log(`${name} ${version} is published already`);
    else if (status !== 0) throw new Error(`npm publish ended with ${status} in ${folder}: ${output}`);
    else log(`${name} ${version} is published as ${tag}`);
  }
}
