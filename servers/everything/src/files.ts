import { gzipSync } from 'node:zlib';
import { type Content, type Context, contents, link, resource, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { perClient } from '../../shared/per-client.ts';

export interface GzipOptions {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Domains that files may come from; empty: anywhere on the internet. */
  readonly domains: readonly string[];
}

const MAX_FILES = 20;
const MIME = 'application/gzip';

function uriOf(name: string): string {
  return `demo://resource/session/${encodeURIComponent(name)}`;
}

function allowed({ protocol, hostname }: URL, domains: readonly string[]): void {
  if (protocol !== 'http:' && protocol !== 'https:' && protocol !== 'data:')
    throw new ToolError('Only http, https, and data URLs are supported.');
  if (protocol === 'data:' || domains.length === 0) return;
  if (!domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`)))
    throw new ToolError(`Domain ${hostname} is not in the allowed domains list.`);
}

async function bytesAt(url: URL, { maxBytes, timeoutMs, domains }: GzipOptions, signal: AbortSignal): Promise<Buffer> {
  // Loaded on first use: few callers pass a URL, and the server starts faster without it.
  const { internetOnlyFetch } = await import('tenon/auth');
  const reach = internetOnlyFetch();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  for (let redirects = 0; ; redirects++) {
    allowed(url, domains);
    const response =
      url.protocol === 'data:' ? await fetch(url) : await reach(url, { signal: limit, redirect: 'manual' });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location !== null && redirects < 5) {
      await response.body?.cancel();
      url = new URL(location, url);
      continue;
    }
    if (!response.ok) throw new ToolError(`${url.origin} answered with status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new ToolError(`The file has more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}

/** Files of one client, which other clients cannot see. */
export function createFiles(options: GzipOptions) {
  const filesOf = perClient(() => new Map<string, Uint8Array>());
  return {
    tools: {
      'gzip-file-as-resource': tool(
        {
          title: 'GZip File as Resource Tool',
          description:
            'Compresses a file. Returns the compressed data as a resource, or a link to it that is valid during the session.',
          input: z.object({
            name: z.string().min(1).max(200).default('README.md.gz').describe('Name of the output file'),
            data: z
              .url()
              .max(20 * 1024 * 1024)
              .default('data:text/plain,Everything')
              .describe('URL or data URI of the file content to compress'),
            outputType: z
              .enum(['resourceLink', 'resource'])
              .default('resourceLink')
              .describe(
                "'resourceLink' returns a link to a resource that can be read later, 'resource' the file itself",
              ),
          }),
          readOnly: false,
          destructive: false,
          idempotent: true,
          openWorld: true,
        },
        async ({ name, data, outputType }, ctx): Promise<Content[]> => {
          let packed: Uint8Array;
          try {
            packed = gzipSync(await bytesAt(new URL(data), options, ctx.signal));
          } catch (error) {
            if (error instanceof ToolError || ctx.signal.aborted) throw error;
            throw new ToolError(`Error processing the file: ${(error as Error).message}`);
          }
          const files = filesOf(ctx);
          const whole: Content = { type: 'resource', resource: contents(uriOf(name), packed, { mimeType: MIME }) };
          // A client that cannot be identified gets the file itself instead of a link.
          if (outputType === 'resource' || files === undefined) return [whole];
          files.delete(name);
          files.set(name, packed);
          if (files.size > MAX_FILES) files.delete(files.keys().next().value!);
          return [link(uriOf(name), name, { mimeType: MIME, size: packed.length })];
        },
      ),
    },
    resources: {
      'demo://resource/session/{name}': resource(
        {
          name: 'Session file',
          description: 'A file that was made in this session',
          mimeType: MIME,
          cache: { scope: 'private' },
          list: (ctx: Context) =>
            [...(filesOf(ctx) ?? [])].map(([name, { length }]) => ({
              uri: uriOf(name),
              name,
              mimeType: MIME,
              size: length,
            })),
          complete: {
            name: (typed, ctx) => [...(filesOf(ctx)?.keys() ?? [])].filter((name) => name.startsWith(typed)),
          },
        },
        ({ name }, ctx) => filesOf(ctx)?.get(name as string),
      ),
    },
  };
}
