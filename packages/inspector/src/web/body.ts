import type { IncomingMessage } from 'node:http';
import { badRequest, Refusal } from './refusal.ts';

/** The largest body of a request, in bytes. */
export const MOST_BODY = 16 * 1024 * 1024;
/** What bodies that are being read may have together. */
const MOST_TOGETHER = 64 * 1024 * 1024;

/** Reads the bodies of requests, all of them together within a bound. */
export interface Bodies {
  /** The JSON object of a body. Throws a refusal for anything else. */
  read(request: IncomingMessage, most: number): Promise<ReadonlyMap<string, unknown>>;
}

const tooLarge = (most: number): Refusal => new Refusal(413, 'too-large', `The body is larger than ${most} bytes`);

/** A form of another page can send some types without asking, but never this one. */
const JSON_TYPE = /^application\/json(?:\s*;\s*charset=utf-8)?$/i;

export const createBodies = (): Bodies => {
  let together = 0;

  const collect = async (request: IncomingMessage, most: number): Promise<Buffer> => {
    const said = Number(request.headers['content-length'] ?? 0);
    if (said > most) throw tooLarge(most);
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        together += chunk.length;
        if (bytes > most) throw tooLarge(most);
        if (together > MOST_TOGETHER) throw new Refusal(503, 'busy', 'Too much is being sent at once. Try again.');
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    } finally {
      together -= bytes;
    }
  };

  return {
    async read(request, most) {
      if (!JSON_TYPE.test(request.headers['content-type'] ?? ''))
        throw new Refusal(415, 'not-json', 'The body must be application/json');
      if (request.headers['content-encoding'] !== undefined)
        throw new Refusal(415, 'not-json', 'The body must not be compressed');
      const text = (await collect(request, most)).toString();
      return objectOf(text);
    },
  };
};

/** A map and not the object: what a page sends names no members of ours. */
const objectOf = (text: string): ReadonlyMap<string, unknown> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRequest(`The body is no JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('The body is no JSON object');
  return new Map(Object.entries(value));
};
