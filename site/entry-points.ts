// The entry points that the API reference describes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/lib/files.ts';

export interface EntryPoint {
  /** As in an import: `tenon/client`. */
  readonly name: string;
  /** The folder of its package. */
  readonly folder: string;
  /** The path of its declarations in that folder. */
  readonly declarations: string;
}

/** The folders of the packages with a documented interface, in the order of the reference. */
const PACKAGES = ['sdk', 'host', 'store', 'auth-proxy', 'skills', 'inspector'];

/** Entry points for the other packages of this repository only. They change in any version. */
const INTERNAL = /^(?:tenon\/internal|@tenon\/host\/formats)/;

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types?: string }>>;
}

/** All public entry points, from `exports` of the packages. */
export function entryPoints(): EntryPoint[] {
  return PACKAGES.flatMap((name) => {
    const folder = join(root, 'packages', name);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    return Object.entries(manifest.exports).flatMap(([path, target]) => {
      const name = manifest.name + path.slice(1);
      if (typeof target === 'string' || target.types === undefined || INTERNAL.test(name)) return [];
      return [{ name, folder, declarations: target.types }];
    });
  });
}

/** The path of the reference of an entry point, beside the pages of the repository. */
export function apiPage({ name }: Pick<EntryPoint, 'name'>): string {
  return `api/${name.replaceAll('/', '.')}.md`;
}
