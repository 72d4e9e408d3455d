import type { ReadServers } from '@tenon/host';

/** The parts of a configuration that are read but not used. */
export interface UnusedParts extends Pick<ReadServers, 'problems' | 'off'> {
  /** The file, for the messages. */
  readonly path: string;
}

/** A line for each part of the configurations that is left out, and for each server that one of them turns off. */
export function leftOut(configs: readonly UnusedParts[]): string[] {
  return configs.flatMap(({ path, problems, off }) => [
    // The path of a problem is empty if it is one of the file as a whole.
    ...problems.map((one) => [path, one.path, one.message].filter((part) => part !== '').join(': ')),
    ...off.map(({ alias, path: by }) => `${path}: ${alias} is turned off, by ${by}`),
  ]);
}
