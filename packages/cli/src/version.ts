import { createRequire } from 'node:module';

/** The version of the command. */
export const version = (): string => {
  // By its name: where this code ends up among the built files is not known here.
  const { version } = createRequire(import.meta.url)('@tenon/cli/package.json') as { version: string };
  return version;
};
