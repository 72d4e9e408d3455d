/** The failure function of Knuth, Morris and Pratt: for each prefix, the length of its longest proper suffix that is also a prefix. */
function repeatsOf(run: ArrayLike<string>): Int32Array {
  const repeats = new Int32Array(run.length);
  for (let at = 1, length = 0; at < run.length; at++) {
    while (length > 0 && run[length] !== run[at]) length = repeats[length - 1]!;
    if (run[length] === run[at]) length++;
    repeats[at] = length;
  }
  return repeats;
}

/**
 * All positions of a sequence of characters or lines, which may overlap. Takes linear time (Knuth, Morris and Pratt): `indexOf` takes a minute
 * for some texts of 1 MiB.
 */
export function findAll(all: ArrayLike<string>, run: ArrayLike<string>): number[] {
  const repeats = repeatsOf(run);
  const places: number[] = [];
  for (let at = 0, length = 0; at < all.length; at++) {
    while (length > 0 && (length === run.length || run[length] !== all[at])) length = repeats[length - 1]!;
    if (run[length] === all[at]) length++;
    if (length === run.length) places.push(at - length + 1);
  }
  return places;
}
