// Places are written one after the other. Who had to wait looks again: something else may be there by then.
import { type Spot, withSpot } from './access.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { inTurn } from '../../shared/turns.ts';

const realOf = (found: Folders, asked: string): Promise<string> => withSpot(found, asked, async ({ real }) => real);

/** Uses a place that was at `real` before its turn came. */
const again = <T>(found: Folders, asked: string, real: string, use: (spot: Spot) => Promise<T>): Promise<T> =>
  withSpot(found, asked, (spot) => {
    if (spot.real !== real) throw new AccessError(`${asked} leads somewhere else since a moment ago: try again`);
    return use(spot);
  });

/** Uses a place for writing. */
export const writing = async <T>(found: Folders, asked: string, use: (spot: Spot) => Promise<T>): Promise<T> => {
  const real = await realOf(found, asked);
  return inTurn(real, () => again(found, asked, real, use));
};

/** Uses two places for writing. Turns are taken in the order of the names, so that no two calls wait for each other. */
export const writingBoth = async <T>(
  found: Folders,
  source: string,
  destination: string,
  use: (from: Spot, to: Spot) => Promise<T>,
): Promise<T> => {
  const from = await realOf(found, source);
  const to = await realOf(found, destination);
  const both = (): Promise<T> =>
    again(found, source, from, (one) => again(found, destination, to, (other) => use(one, other)));
  // Who has a turn already would wait for themselves.
  if (from === to) return inTurn(from, both);
  const [first, second] = from < to ? [from, to] : [to, from];
  return inTurn(first, () => inTurn(second, both));
};
