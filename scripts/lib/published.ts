// The packages of this repository that are published.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';

/** A member of `exports`: a path, or a path for each condition. */
type ExportTarget = string | { readonly [condition: string]: ExportTarget };

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly type?: string;
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string };
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly files?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, ExportTarget>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
}

interface PublishedPackage {
  /** Relative to the root of the repository. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The manifest of a folder, relative to the root of the repository. */
function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

/** The public packages, the SDK first. */
export function publishedPackages(): readonly PublishedPackage[] {
  return ['packages', 'servers']
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: manifestOf(folder) }))
    .filter(({ manifest }) => manifest.private !== true)
    .toSorted((a, b) => Number(b.manifest.name === 'tenon') - Number(a.manifest.name === 'tenon'));
}
