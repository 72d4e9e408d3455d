/** The type names of a file, which are unique. */
export interface TypeNames {
  /** Returns a unique name made of these words, each with an initial capital. A number is added if the name is taken. */
  claim(...words: readonly string[]): string;
}

/** The maximum length of the part of a name that comes from a server. */
const MAX_WORD = 60;

function capitalized(text: string): string {
  const words = text.slice(0, MAX_WORD * 2).match(/[A-Za-z0-9]+/g) ?? [];
  return words
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')
    .slice(0, MAX_WORD);
}

/** `taken`: names that already exist in the file. */
export function createTypeNames(taken: readonly string[]): TypeNames {
  const used = new Set(taken);
  /** The last number of each name, so that thousands of equal names do not take long. */
  const counts = new Map<string, number>();
  return {
    claim(...words) {
      const plain = words.map(capitalized).join('');
      const base = /^[A-Z]/.test(plain) ? plain : `Tool${plain}`;
      let name = base;
      for (let count = counts.get(base) ?? 2; used.has(name); count++) {
        name = `${base}${count}`;
        counts.set(base, count + 1);
      }
      used.add(name);
      return name;
    },
  };
}
