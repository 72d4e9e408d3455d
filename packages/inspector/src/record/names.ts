/** Returns a function that makes names unique: repeated names get a number, `weather`, `weather-2`, `weather-3`. */
export function createNames(): (wanted: string) => string {
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return (wanted) => {
    let name = wanted;
    let number = next.get(wanted) ?? 2;
    for (; taken.has(name); number++) name = `${wanted}-${number}`;
    next.set(wanted, number);
    taken.add(name);
    return name;
  };
}
