import { ToolError } from 'tenon';
import { unfinishedBytes } from '../../shared/bytes.ts';
import { decodePage } from './charset.ts';

/** Maximum size of a page, in bytes. */
const MAX_BYTES = 5 * 1024 * 1024;
/** Timeout for a page, including redirects, in milliseconds. */
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

export interface PageFetchOptions {
  readonly userAgent: string;
  /** Hosts that may have private addresses. */
  readonly hosts: readonly string[];
}

/** A page as it was received. */
export interface Page {
  /** The URL after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** What the reader should know about how the text was decoded; undefined if there is no doubt. */
  readonly note: string | undefined;
  /** Whether the text was cut at `cutAt`. */
  readonly isCut: boolean;
}

export interface ReadOptions {
  readonly onBytes?: ((bytes: number) => unknown) | undefined;
  /** Read at most this many bytes; more is not an error. */
  readonly cutAt?: number;
}

/** Fetches a page. Throws a `ToolError` if that fails. */
export type FetchPage = (address: string, signal: AbortSignal, options?: ReadOptions) => Promise<Page>;

function textual(type: string): boolean {
  return (
    type === '' ||
    /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-sh)\b)|^image\/svg/i.test(
      type,
    )
  );
}

/** Decompresses the body as a stream, so that only what is read is decompressed. */
function unpacked(response: Response): ReadableStream<Uint8Array> | null {
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity' || response.body === null) return response.body;
  if (encoding !== 'gzip' && encoding !== 'deflate')
    throw new ToolError(`The page has an unsupported content encoding: ${encoding}`);
  return response.body.pipeThrough(new DecompressionStream(encoding) as never);
}

interface Body {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

async function readAll(response: Response, { onBytes, cutAt }: ReadOptions): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of unpacked(response) ?? []) {
    size += chunk.byteLength;
    chunks.push(chunk);
    if (cutAt !== undefined && size > cutAt) return { bytes: Buffer.concat(chunks, cutAt), isCut: true };
    if (size > MAX_BYTES) throw new ToolError(`The page has more than ${MAX_BYTES} bytes`);
    await onBytes?.(size);
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

function addressOf(text: string, base?: URL): URL {
  try {
    return new URL(text, base);
  } catch {
    throw new ToolError(`That is not a URL: ${text.slice(0, 200)}`);
  }
}

/** Makes a function that fetches pages: from the internet only, checking each redirect, limited in size and time, without credentials. */
export function createPageFetch({ userAgent, hosts }: PageFetchOptions): FetchPage {
  let loading: Promise<typeof fetch> | undefined;
  // Loaded with the first page: it comes with all code for OAuth.
  const load = () => (loading ??= import('tenon/auth').then(({ internetOnlyFetch }) => internetOnlyFetch({ hosts })));
  const headers = { 'user-agent': userAgent, accept: 'text/html,text/markdown,text/plain,*/*;q=0.5' };
  return async (address, signal, options = {}) => {
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const either = AbortSignal.any([signal, limit]);
    let url = addressOf(address);
    try {
      for (let redirects = 0; ; redirects++) {
        const response = await (await load())(url, { headers, signal: either, redirect: 'manual' });
        const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
        if (location === null) {
          const type = response.headers.get('content-type') ?? '';
          if (!textual(type)) {
            await response.body?.cancel();
            throw new ToolError(`${url.href} is not text, but ${type}`);
          }
          const { bytes, isCut } = await readAll(response, options);
          // The last character may be cut in the middle, too.
          const whole = isCut ? bytes.subarray(0, bytes.length - unfinishedBytes(bytes)) : bytes;
          return { url, status: response.status, type, isCut, ...decodePage(whole, type) };
        }
        await response.body?.cancel();
        if (redirects >= MAX_REDIRECTS) throw new ToolError(`${address} has more than ${MAX_REDIRECTS} redirects`);
        url = addressOf(location, url);
      }
    } catch (error) {
      if (error instanceof ToolError) throw error;
      signal.throwIfAborted();
      if (limit.aborted) throw new ToolError(`${url.href} was not received within ${TIMEOUT_MS / 1_000} seconds`);
      throw new ToolError(`Failed to fetch ${url.href}: ${(error as Error).message}`);
    }
  };
}
