/** The names of types in a file. No two are the same. */
export interface TypeNames {
  /** A name for what is called so: the words in it, each with a capital. A number is added where it is taken. */
  claim(...words: readonly string[]): string;
}

/** The longest part of a name that comes from a server. */
const MAX_WORD = 60;

function capitalized(text: string): string {
  const words = text.slice(0, MAX_WORD * 2).match(/[A-Za-z0-9]+/g) ?? [];
  return words
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')
    .slice(0, MAX_WORD);
}

/** `taken`: names that the file has already. */
export function createTypeNames(taken: readonly string[]): TypeNames {
  const used = new Set(taken);
  /** The last number of each name, so that thousands of the same name do not take long. */
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
