import { type Context, prompt, type Server, server, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { createPageFetch } from './page-fetch.ts';
import { createRobots } from './robots.ts';
import { simplify } from './simplify.ts';
import { icon } from '../../shared/icon.ts';

const ICON = icon(
  '#1971c2',
  '<circle cx="12" cy="12" r="7"/><path d="M5 12h14M12 5c3 3 3 11 0 14M12 5c-3 3-3 11 0 14"/>',
);

export interface FetchOptions {
  /** The User-Agent header. Default: one for requests of the model, another for those of the user. */
  readonly userAgent?: string | undefined;
  /** Whether to read pages that robots.txt disallows. Default: false. */
  readonly ignoreRobots?: boolean;
  /** Hosts that may have private addresses, such as `localhost:8080`. All other hosts must be on the internet. */
  readonly hosts?: readonly string[];
}

const AUTONOMOUS = 'TenonFetch/0.1 (Autonomous; +https://modelcontextprotocol.io)';
const BY_USER = 'TenonFetch/0.1 (User-Specified; +https://modelcontextprotocol.io)';

const address = z
  .url({ protocol: /^https?$/ })
  .max(4_000)
  .describe('URL to fetch');

function isHtml(type: string, text: string): boolean {
  return /html/i.test(type) || type === '' || text.slice(0, 100).toLowerCase().includes('<html');
}

/** Where a part ends: after `max` characters, but not between the halves of a surrogate pair. */
function endOfPart(text: string, start: number, max: number): number {
  const end = Math.min(start + max, text.length);
  const isPair = end < text.length && text.codePointAt(end - 1)! > 0xff_ff;
  return isPair ? (end - 1 > start ? end - 1 : end + 1) : end;
}

/** Makes the server. */
export function createFetch({ userAgent, ignoreRobots = false, hosts = [] }: FetchOptions = {}): Server {
  const forModel = createPageFetch({ userAgent: userAgent ?? AUTONOMOUS, hosts });
  const forUser = createPageFetch({ userAgent: userAgent ?? BY_USER, hosts });
  const allows = createRobots(forModel, userAgent ?? AUTONOMOUS);

  /** Reads a page as Markdown. `before`: a note that goes before the text. */
  const read = async (
    fetchPage: typeof forModel,
    url: string,
    raw: boolean,
    ctx: Pick<Context, 'signal'>,
    onBytes?: (bytes: number) => unknown,
  ): Promise<{ readonly before: string; readonly text: string }> => {
    const page = await fetchPage(url, ctx.signal, { onBytes });
    const note = page.note === undefined ? '' : `(${page.note})\n`;
    if (page.status >= 400) throw new ToolError(`Failed to fetch ${url} - status code ${page.status}`);
    if (raw || !isHtml(page.type, page.text)) {
      const before =
        raw || /markdown|plain/i.test(page.type)
          ? ''
          : `Content type ${page.type} cannot be simplified to markdown, but here is the raw content:\n`;
      return { before: `${note}${before}`, text: page.text };
    }
    const text = await simplify(page.text, page.url, ctx.signal);
    if (text === undefined)
      return { before: `${note}<error>Page failed to be simplified from HTML</error>\n`, text: page.text };
    return { before: note, text };
  };

  return server({
    name: 'fetch',
    version: '0.1.0',
    icons: [ICON],
    title: 'Fetch',
    tools: {
      fetch: tool(
        {
          title: 'Fetch a page',
          description:
            'Fetches a URL from the internet and returns its contents as Markdown. Long pages are returned in parts: call it again with the start_index given at the end.',
          input: z.object({
            url: address,
            max_length: z.int().min(1).max(999_999).default(5_000).describe('Maximum number of characters to return.'),
            start_index: z
              .int()
              .min(0)
              .default(0)
              .describe(
                'On return output starting at this character index, useful if a previous fetch was truncated and more context is required.',
              ),
            raw: z
              .boolean()
              .default(false)
              .describe('Get the actual HTML content of the requested page, without simplification.'),
          }),
          readOnly: true,
          openWorld: true,
        },
        async ({ url, max_length, start_index, raw }, ctx) => {
          if (!ignoreRobots) await allows(url, ctx.signal);
          let last = 0;
          const onBytes = (bytes: number): unknown => {
            if (bytes <= last) return undefined;
            last = bytes;
            return ctx.progress({ progress: bytes, message: `${bytes} bytes` });
          };
          const { before, text } = await read(forModel, url, raw, ctx, onBytes);
          const start = `${before}Contents of ${url}:\n`;
          if (start_index >= text.length && text !== '') return `${start}<error>No more content available.</error>`;
          const next = endOfPart(text, start_index, max_length);
          const part = text.slice(start_index, next);
          return next < text.length
            ? `${start}${part}\n\n<error>Content truncated. Call the fetch tool with a start_index of ${next} to get more content.</error>`
            : `${start}${part}`;
        },
      ),
    },
    prompts: {
      fetch: prompt(
        {
          title: 'Fetch a page',
          description: 'Fetch a URL and extract its contents as markdown',
          input: z.object({ url: address }),
        },
        async ({ url }, ctx) => {
          const { before, text } = await read(forUser, url, false, ctx);
          return `${before}Contents of ${url}:\n${text}`;
        },
      ),
    },
  });
}
