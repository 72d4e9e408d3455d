// Numbers for people.

export function count(value: number): string {
  return value.toLocaleString('en');
}

/** `0.4 ms`, `35 ms`, `2.45 s`. */
export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(2)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

/** `310 B`, `1.4 kB`, `2.0 MB`. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  return value < 1_000_000 ? `${(value / 1_000).toFixed(1)} kB` : `${(value / 1_000_000).toFixed(1)} MB`;
}

/** An estimate, marked as such: `~120 tokens`, `~2.1k tokens`. */
export function tokens(value: number): string {
  return `~${value < 1_000 ? value : `${(value / 1_000).toFixed(1)}k`} tokens`;
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
