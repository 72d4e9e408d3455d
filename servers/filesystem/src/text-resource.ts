import { basename, dirname } from 'node:path';
import { type CallContext, ProtocolError, resource } from 'tenon';
import { type AccessOptions, withFile } from './access.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { partOf } from './text.ts';
import { entriesIn, slashed } from './walk.ts';

function encoded(path: string): string {
  return slashed(path).split('/').map(encodeURIComponent).join('/').replace(/^\//, '');
}

/** The URI of a text file, or of its part that begins at a byte offset. */
export function uriOf(real: string, offset?: number): string {
  return `filesystem://text/${encoded(real)}${offset === undefined ? '' : `?offset=${offset}`}`;
}

const TEMPLATE = 'filesystem://text/{+path}{?offset}';
const PART = 256 * 1024;
const MAX_COMPLETIONS = 100;

function pathIn(path: unknown): string {
  const plain = String(path);
  return /^[A-Za-z]:/.test(plain) ? plain : `/${plain}`;
}

/** Text files as resources, in parts that fit into a result. `onRead` is called with the real path of each file that is read. */
export function createTextResource(
  allowed: (ctx: CallContext) => Promise<Folders>,
  access: AccessOptions,
  onRead: (real: string) => void,
) {
  return {
    [TEMPLATE]: resource(
      {
        name: 'text',
        title: 'A text file',
        description: `The text of a file, ${PART} bytes at a time. The URI of the next part is in _meta, as tenon/next.`,
        mimeType: 'text/plain',
        cache: { scope: 'private' },
        complete: {
          path: async (typed, ctx) => {
            const folders = await allowed(ctx as unknown as CallContext).catch(() => undefined);
            if (folders === undefined) return [];
            const asked = pathIn(typed);
            const folder = asked.endsWith('/') ? asked : dirname(asked);
            const start = asked.endsWith('/') ? '' : basename(asked);
            const entries = await entriesIn(folders, folder, ctx.signal).catch(() => []);
            return entries
              .filter(({ name }) => name?.startsWith(start))
              .slice(0, MAX_COMPLETIONS)
              .map(({ name, isFolder }) => `${encoded(`${folder.replace(/\/$/, '')}/${name}`)}${isFolder ? '/' : ''}`);
          },
        },
      },
      async ({ path, offset }: { path: string; offset?: string }, ctx: CallContext) => {
        const asked = pathIn(path);
        const from = Number(offset ?? 0);
        if (!Number.isSafeInteger(from) || from < 0)
          throw new ProtocolError(-32_602, '`offset` must be a number of bytes');
        try {
          return await withFile(await allowed(ctx), asked, access, async (file) => {
            onRead(file.real);
            const { text, next } = await partOf(file, asked, from, PART);
            const uri = uriOf(file.real, offset === undefined ? undefined : from);
            return {
              uri,
              mimeType: 'text/plain',
              text,
              _meta: next === undefined ? undefined : { 'tenon/next': uriOf(file.real, next) },
            };
          });
        } catch (error) {
          // Report files that may not be read as not found.
          if (error instanceof AccessError) return undefined;
          throw error;
        }
      },
    ),
  };
}
