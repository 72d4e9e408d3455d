import type { IncomingMessage } from 'node:http';
import { badRequest, Refusal } from './refusal.ts';

/** The most bytes of all bodies being read together. */
const MAX_TOGETHER = 64 * 1024 * 1024;

/** Reads the bodies of requests, with a limit on all of them together. */
export interface Bodies {
  /** Parses a body of at most `max` bytes. Throws a refusal if it is not JSON. */
  read(request: IncomingMessage, max: number): Promise<unknown>;
}

function tooLarge(max: number): Refusal {
  return new Refusal(413, 'too-large', `The body is larger than ${max} bytes`);
}

/** A form on another site can send some types without permission, but never this one. */
const JSON_TYPE = /^application\/json(?:\s*;\s*charset=utf-8)?$/i;

export function createBodies(): Bodies {
  let together = 0;

  const collect = async (request: IncomingMessage, max: number): Promise<Buffer> => {
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > max) throw tooLarge(max);
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        together += chunk.length;
        if (bytes > max) throw tooLarge(max);
        if (together > MAX_TOGETHER) throw new Refusal(503, 'busy', 'Too much is being sent at once. Try again.');
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    } finally {
      together -= bytes;
    }
  };

  return {
    async read(request, max) {
      if (!JSON_TYPE.test(request.headers['content-type'] ?? ''))
        throw new Refusal(415, 'not-json', 'The body must be application/json');
      if (request.headers['content-encoding'] !== undefined)
        throw new Refusal(415, 'not-json', 'The body must not be compressed');
      return parsed((await collect(request, max)).toString());
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`The body is not JSON: ${(error as Error).message}`);
  }
}
