import type { ReadServers } from '@tenon/host';

/** What of configurations is not used, each with the reason: entries that are not understood, and servers that are turned off. */
export function leftOut(
  configs: readonly (Pick<ReadServers, 'problems' | 'off'> & { readonly path: string })[],
): string[] {
  return configs.flatMap(({ path, problems, off }) => [
    // The path is empty for a problem of the file as a whole.
    ...problems.map((one) => [path, one.path, one.message].filter((part) => part !== '').join(': ')),
    ...off.map(({ alias, path: by }) => `${path}: ${alias} is turned off, by ${by}`),
  ]);
}
