/** How many names of a list are remembered. */
const MAX_NAMES = 10_000;

/** Of several tools with one name the first counts. Call this for each list, and the returned function with each name: is it the first? */
export function firstOfName(): (name: string) => boolean {
  const names = new Set<string>();
  return (name) => {
    if (names.has(name)) return false;
    if (names.size < MAX_NAMES) names.add(name);
    return true;
  };
}
