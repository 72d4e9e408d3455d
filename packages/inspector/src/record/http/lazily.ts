import type { HttpTap, HttpTapOptions } from './http-tap.ts';

/**
 * Listens on this machine for clients of a server at a URL, passes on what they and the server say, and records it. Bodies and event
 * streams pass as they come. Rejects with a `TypeError` if the target is not an http or https URL, and if no port is free.
 */
// Loaded when it is used: a program that records a command must start fast.
export async function tapHttp(options: HttpTapOptions): Promise<HttpTap> {
  return (await import('./http-tap.ts')).tapHttp(options);
}
