import type { HttpTap, HttpTapOptions } from './http-tap.ts';

// The implementation is loaded on first use: a program that records a process must start fast.

/**
 * Listens on this machine for clients of a server at a URL, forwards the traffic in both directions, and records it. Bodies and
 * event streams pass as they arrive. Rejects with a `TypeError` if the target is not an http or https URL, and if no port is
 * free.
 *
 * @example
 * ```ts
 * import { createNewTrace, tapHttp } from '@tenon/inspector/trace';
 *
 * const sink = createNewTrace(undefined, 'weather', 'my tool 1.0');
 * const tap = await tapHttp({ target: 'https://weather.example/mcp', name: 'weather', sink });
 * console.error(`Connect to ${tap.url}`);
 * ```
 */
export async function tapHttp(options: HttpTapOptions): Promise<HttpTap> {
  return (await import('./http-tap.ts')).tapHttp(options);
}
