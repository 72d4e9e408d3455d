import { createRequire } from 'node:module';

/** The version of the command. */
export function version(): string {
  // By the package's name, because the depth of the built file in the package is not fixed.
  const { version } = createRequire(import.meta.url)('@tenon/cli/package.json') as { version: string };
  return version;
}
