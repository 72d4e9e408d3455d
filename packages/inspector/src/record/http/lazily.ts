import type { HttpTap, HttpTapOptions } from './http-tap.ts';

// Loaded when it is used: a program that records a command must start fast.

/**
 * Listens on this machine for clients of a server at a URL, passes on what they and the server say, and records it. Bodies and event
 * streams pass as they come. Rejects with a `TypeError` if the target is not an http or https URL, and if no port is free.
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
