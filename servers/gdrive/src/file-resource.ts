import { type CallContext, contents, type Context, type ListedResource, resource, ToolError } from 'tenon';
import { decodeUtf8 } from '@tenon/values/utf8';
import type { Access } from '../../shared/api/access.ts';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import { collectPages } from '../../shared/api/pages.ts';
import { unfinishedBytes } from '../../shared/bytes.ts';
import type { Drive, FileDetails } from './drive-client.ts';
import { FOLDER, READABLE } from './drive-query.ts';
import { contentTypeOf, exportFormatOf, isOfGoogle, isText } from './export-formats.ts';

export const FILE_TEMPLATE = 'gdrive:///{id}';

/** How many files are listed. */
const MAX_LISTED = 500;
/** Longer texts are cut. In bytes. */
export const MAX_TEXT_BYTES = 1024 * 1024;
/** Larger files that are not text are not read: some clients accept messages of 10 MiB at most. */
export const MAX_BLOB_BYTES = 5 * 1024 * 1024;

const SHORTCUT = 'application/vnd.google-apps.shortcut';
const ID = /^[\w-]{1,200}$/;

/** The URI of a file. */
export function fileUri(id: string): string {
  return `gdrive:///${id}`;
}

function whereToOpen({ webViewLink }: FileDetails): string {
  return webViewLink === undefined ? '' : ` The user can open it at ${webViewLink}`;
}

interface Content {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** How many bytes there are in all. */
  readonly total: number;
}

async function exportFile(drive: Drive, file: FileDetails): Promise<Content> {
  const name = JSON.stringify(file.name);
  if (file.mimeType === FOLDER) throw new ToolError(`${name} is a folder, which has no contents to read.`);
  const mimeType = exportFormatOf(file.mimeType, Object.keys(file.exportLinks ?? {}));
  if (mimeType === undefined)
    throw new ToolError(
      `Google does not convert ${name} (${file.mimeType}) to anything that can be read.${whereToOpen(file)}`,
    );
  const bytes = await drive.export(file.id, mimeType);
  if (!isText(mimeType)) assertReadable(file, bytes.length);
  return { mimeType, bytes, total: bytes.length };
}

/** Throws a `ToolError` if there are too many bytes. */
function assertReadable(file: FileDetails, total: number): void {
  if (total <= MAX_BLOB_BYTES) return;
  const most = `${MAX_BLOB_BYTES / (1024 * 1024)} MiB`;
  throw new ToolError(
    `${JSON.stringify(file.name)} has ${total} bytes. Files that are not text are read up to ${most}.${whereToOpen(file)}`,
  );
}

async function downloadFile(drive: Drive, file: FileDetails): Promise<Content> {
  const { id, mimeType } = file;
  const size = Number(file.size ?? 0);
  const isCut = isText(mimeType) && size > MAX_TEXT_BYTES;
  if (!isCut) assertReadable(file, size);
  const bytes = await drive.download(id, isCut ? MAX_TEXT_BYTES : undefined);
  const content = { mimeType, bytes, total: Math.max(size, bytes.length) };
  if (textOf(content) !== undefined) return content;
  // It is not text, whatever its type says. A part of it would look like all of it.
  assertReadable(file, content.total);
  return bytes.length < size ? { ...content, bytes: await drive.download(id) } : content;
}

/** The text of a content that may be cut; undefined if it is not text. */
function textOf({ mimeType, bytes, total }: Content): string | undefined {
  if (!isText(mimeType)) return undefined;
  const kept = bytes.subarray(0, MAX_TEXT_BYTES);
  return decodeUtf8(total > kept.length ? kept.subarray(0, kept.length - unfinishedBytes(kept)) : kept);
}

async function readFile(drive: Drive, id: string) {
  let file = await drive.details(id);
  const target = file.mimeType === SHORTCUT ? file.shortcutDetails?.targetId : undefined;
  if (target !== undefined) file = await drive.details(target);
  const content = await (isOfGoogle(file.mimeType) ? exportFile : downloadFile)(drive, file);
  const { mimeType, bytes, total } = content;
  const uri = fileUri(id);
  const text = textOf(content);
  if (text === undefined) return contents(uri, bytes, { mimeType });
  const shown = contents(uri, text, { mimeType });
  if (total <= MAX_TEXT_BYTES) return shown;
  const note = `Only the first ${Buffer.byteLength(text)} of ${total} bytes are here.${whereToOpen(file)}`;
  return [shown, contents(uri, note, { mimeType: 'text/plain' })];
}

async function listFiles(drive: Drive): Promise<readonly ListedResource[]> {
  let pageToken: string | undefined;
  const { items } = await collectPages({
    read: async () => {
      const page = await drive.list({ q: READABLE, pageSize: MAX_LISTED, orderBy: 'modifiedTime desc', pageToken });
      pageToken = page.nextPageToken;
      return { items: page.files, hasNext: pageToken !== undefined };
    },
    keyOf: ({ id }) => id,
    maxItems: MAX_LISTED,
  });
  return items.map(({ id, name, mimeType, size, modifiedTime }) => ({
    uri: fileUri(id),
    name,
    mimeType: contentTypeOf(mimeType),
    size: size === undefined ? undefined : Number(size),
    annotations: modifiedTime === undefined ? undefined : { lastModified: modifiedTime },
  })) as readonly ListedResource[];
}

/** The list is empty before the login: hosts ask for it when they start, and a list cannot ask the user to log in. */
async function noneBeforeLogin(error: unknown, { log }: Context): Promise<readonly ListedResource[]> {
  if (apiErrorIn(error)?.status !== 401) throw error;
  await log('warning', (error as Error).message);
  return [];
}

/** The files of Drive, as a resource template. */
export function fileResource(access: Access<Drive>) {
  return resource(
    {
      name: 'File',
      description:
        'A file of Google Drive: Docs as Markdown, Sheets as CSV, Slides as text, Drawings as PNG, others as they are',
      list: (ctx: Context) => listFiles(access.of(ctx)).catch((error: unknown) => noneBeforeLogin(error, ctx)),
    },
    async ({ id }: { readonly id: string }, ctx: CallContext) => {
      if (!ID.test(id)) return undefined;
      try {
        return await access.run(ctx, (drive) => readFile(drive, id));
      } catch (error) {
        if (apiErrorIn(error)?.status === 404) return undefined;
        throw error;
      }
    },
  );
}
