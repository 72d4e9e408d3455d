/** Numbers of lines in order, each once: four bytes for each. */
export interface LineNumbers {
  readonly length: number;
  /** Throws a RangeError for a line that does not exist. */
  at(place: number): number;
  insert(n: number): void;
  remove(n: number): void;
}

export function createLineNumbers(): LineNumbers {
  let numbers = new Uint32Array(256);
  let length = 0;

  /** The place of this number, or where it would have to be. */
  const placeOf = (n: number): number => {
    if (length === 0 || numbers[length - 1]! < n) return length;
    let [low, high] = [0, length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (numbers[middle]! < n) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    get length() {
      return length;
    },
    at: (place) => {
      if (place < 0 || place >= length) throw new RangeError(`There is no place ${place} among ${length}`);
      return numbers[place]!;
    },
    insert(n) {
      const place = placeOf(n);
      if (place < length && numbers[place] === n) return;
      if (length === numbers.length) {
        const more = new Uint32Array(length * 2);
        more.set(numbers);
        numbers = more;
      }
      numbers.copyWithin(place + 1, place, length);
      numbers[place] = n;
      length++;
    },
    remove(n) {
      const place = placeOf(n);
      if (place >= length || numbers[place] !== n) return;
      numbers.copyWithin(place, place + 1, length);
      length--;
    },
  };
}
