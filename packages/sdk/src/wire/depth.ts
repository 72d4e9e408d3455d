/** Is a value of parsed JSON nested deeper than `depth` levels? An empty object or array is one level. */
export function isDeeper(value: unknown, depth: number): boolean {
  let level = containersIn([value]);
  for (let left = depth; level.length > 0; left--) {
    if (left <= 0) return true;
    level = level.flatMap((container) => containersIn(Object.values(container)));
  }
  return false;
}

function containersIn(values: readonly unknown[]): object[] {
  return values.filter((value): value is object => typeof value === 'object' && value !== null);
}
