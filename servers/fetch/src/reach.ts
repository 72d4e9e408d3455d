import { publicFetch } from 'tenon/auth';
import { ToolError } from 'tenon';

/** Most bytes of a page. */
const MOST_BYTES = 5 * 1024 * 1024;
/** How long all of it may take, redirects included. */
const MOST_MS = 30_000;
const MOST_REDIRECTS = 5;

export interface ReachOptions {
  readonly userAgent: string;
  /** Hosts that are reached wherever they are. */
  readonly hosts: readonly string[];
}

/** A page, as it came. */
export interface Page {
  /** Where it was in the end. */
  readonly url: URL;
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** There was more than was asked for. */
  readonly isCut: boolean;
}

export interface ReadOptions {
  readonly onBytes?: ((bytes: number) => unknown) | undefined;
  /** So many bytes are read, and no error is made of there being more. */
  readonly cutAt?: number;
}

/** Gets a page. Throws a `ToolError` for what cannot be had. */
export type Reach = (address: string, signal: AbortSignal, options?: ReadOptions) => Promise<Page>;

const textual = (type: string): boolean =>
  type === '' ||
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-sh)\b)|^image\/svg/i.test(
    type,
  );

/** What was packed is unpacked only as far as is read. */
const unpacked = (response: Response): ReadableStream<Uint8Array> | null => {
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity' || response.body === null) return response.body;
  if (encoding !== 'gzip' && encoding !== 'deflate')
    throw new ToolError(`The page is packed in a way that was not asked for: ${encoding}`);
  return response.body.pipeThrough(new DecompressionStream(encoding) as never);
};

interface Body {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

const readAll = async (response: Response, { onBytes, cutAt }: ReadOptions): Promise<Body> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of unpacked(response) ?? []) {
    size += chunk.byteLength;
    chunks.push(chunk);
    if (cutAt !== undefined && size > cutAt) return { bytes: Buffer.concat(chunks, cutAt), isCut: true };
    if (size > MOST_BYTES) throw new ToolError(`The page has more than ${MOST_BYTES} bytes`);
    await onBytes?.(size);
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
};

const decoded = (bytes: Buffer, type: string): string => {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)/i.exec(type) ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
};

const addressOf = (text: string, base?: URL): URL => {
  try {
    return new URL(text, base);
  } catch {
    throw new ToolError(`That is no address: ${text.slice(0, 200)}`);
  }
};

/** Makes what reaches the web: the internet only, each redirect looked at, bounded in bytes and time. It shows no credentials anywhere. */
export const createReach = ({ userAgent, hosts }: ReachOptions): Reach => {
  const fetch = publicFetch({ hosts });
  const headers = { 'user-agent': userAgent, accept: 'text/html,text/markdown,text/plain,*/*;q=0.5' };
  return async (address, signal, options = {}) => {
    const limit = AbortSignal.timeout(MOST_MS);
    const either = AbortSignal.any([signal, limit]);
    let url = addressOf(address);
    try {
      for (let redirects = 0; ; redirects++) {
        const response = await fetch(url, { headers, signal: either, redirect: 'manual' });
        const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
        if (location === null) {
          const type = response.headers.get('content-type') ?? '';
          if (!textual(type)) {
            await response.body?.cancel();
            throw new ToolError(`${url.href} is no text, but ${type}`);
          }
          const { bytes, isCut } = await readAll(response, options);
          return { url, status: response.status, type, text: decoded(bytes, type), isCut };
        }
        await response.body?.cancel();
        if (redirects >= MOST_REDIRECTS) throw new ToolError(`${address} is sent on more than ${MOST_REDIRECTS} times`);
        url = addressOf(location, url);
      }
    } catch (error) {
      if (error instanceof ToolError) throw error;
      signal.throwIfAborted();
      if (limit.aborted) throw new ToolError(`${url.href} did not come within ${MOST_MS / 1_000} seconds`);
      throw new ToolError(`Failed to fetch ${url.href}: ${(error as Error).message}`);
    }
  };
};
