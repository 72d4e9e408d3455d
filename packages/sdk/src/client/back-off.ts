const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** How long to wait after so many failures in a row: 1, 2, 4 … 60 seconds, up to a quarter less by chance, so that many do not come at once. */
export const backOff = (failures: number, chance: () => number = Math.random): number =>
  failures <= 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30)) * (1 - chance() / 4);
