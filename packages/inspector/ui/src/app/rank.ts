// Ranks entries by how well they match the typed text.

const BREAK = /[\s_\-./:]/;

/** The score of a text, 0 for no match: highest for a prefix, then the beginning of a word, a substring, and letters in order. */
export function scoreOf(text: string, typed: string): number {
  if (typed === '') return 1;
  const at = text.indexOf(typed);
  if (at === 0) return text.length === typed.length ? 100 : 90;
  if (at > 0) return BREAK.test(text[at - 1]!) ? 70 : 50;
  let from = 0;
  let steps = 0;
  let leaps = 0;
  for (const sign of typed) {
    const next = text.indexOf(sign, from);
    if (next < 0) return 0;
    if (next > from) {
      steps++;
      if (next > 0 && !BREAK.test(text[next - 1]!)) leaps++;
    }
    from = next + 1;
  }
  // Letters at the beginnings of words are an abbreviation; scattered letters match by chance.
  return leaps > 1 ? 0 : Math.max(1, 20 - steps * 2 - leaps * 6);
}

/** The best entries. Every typed word must match. */
export function best<T>(entries: readonly T[], searchOf: (entry: T) => string, typed: string, most: number): T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found: { entry: T; score: number; length: number }[] = [];
  for (const entry of entries) {
    const text = searchOf(entry);
    let score = 1;
    for (const word of words) {
      const one = scoreOf(text, word);
      if (one === 0) {
        score = 0;
        break;
      }
      score += one;
    }
    if (score > 0) found.push({ entry, score, length: words.length === 0 ? 0 : text.length });
  }
  return found
    .sort((a, b) => b.score - a.score || a.length - b.length)
    .slice(0, most)
    .map(({ entry }) => entry);
}
