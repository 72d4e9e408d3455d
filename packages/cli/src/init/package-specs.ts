import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative, sep } from 'node:path';
import { version } from '../version.ts';

const NAMES = ['tenon', '@tenon/cli'] as const;

/** The folder of a package, without symbolic links. */
function folderOf(name: string): string {
  return realpathSync(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)));
}

/**
 * Where the project in this folder gets the packages of Tenon from: npm, in the version of this command. If this command runs from a clone of
 * the repository, where its version may not be published, the paths of the clone.
 */
export function packageSpecs(folder: string): Readonly<Record<(typeof NAMES)[number], string>> {
  const specOf = (name: string): string => {
    const from = folderOf(name);
    return from.split(sep).includes('node_modules')
      ? `^${version()}`
      : `file:${relative(folder, from).split(sep).join('/')}`;
  };
  return { tenon: specOf('tenon'), '@tenon/cli': specOf('@tenon/cli') };
}
