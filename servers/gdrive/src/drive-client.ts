// Requests to Drive.
import { z } from 'zod';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import type { ApiOptions } from '../../shared/api/api-options.ts';
import { type ApiContext, createApi } from '../../shared/api/api.ts';
import { pick } from '../../shared/api/pick.ts';
import { type AccessToken, LOGIN_HELP } from './access-token.ts';
import { noteOnRefusal, waitForDrive } from './drive-rules.ts';
import { SERVICE } from './google.ts';

export const FILE = z.object({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  modifiedTime: z.string().optional(),
  /** In bytes, as text. Documents of Google and folders may have none. */
  size: z.string().optional(),
  webViewLink: z.string().optional(),
});
const PAGE = z.object({
  files: z.array(FILE),
  nextPageToken: z.string().optional(),
  incompleteSearch: z.boolean().optional(),
});
const DETAILS = FILE.extend({
  exportLinks: z.record(z.string(), z.string()).optional(),
  shortcutDetails: z.object({ targetId: z.string().optional() }).optional(),
});

export type FilePage = z.infer<typeof PAGE>;
export type FileDetails = z.infer<typeof DETAILS>;

function fieldsOf(shape: object): string {
  return Object.keys(shape).join();
}
const PAGE_FIELDS = `nextPageToken,incompleteSearch,files(${fieldsOf(FILE.shape)})`;
const DETAIL_FIELDS = `${fieldsOf(FILE.shape)},exportLinks,shortcutDetails(targetId)`;

export interface FileQuery {
  readonly q: string;
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
  readonly orderBy?: string;
}

/** The requests of one call. They reject with an `ApiError` if Drive refuses. */
export interface Drive {
  list(query: FileQuery): Promise<FilePage>;
  details(id: string): Promise<FileDetails>;
  /** The contents of a file. `maxBytes`: only its beginning. */
  download(id: string, maxBytes?: number): Promise<Uint8Array>;
  /** A document of Google in another format. */
  export(id: string, mimeType: string): Promise<Uint8Array>;
  report(message: string): Promise<void>;
}

export interface DriveClientOptions {
  /** The address of the API. */
  readonly url: string;
  readonly token: AccessToken;
  readonly limits?: ApiOptions['limits'];
  readonly clock?: ApiOptions['clock'];
}

/** Gives the requests of a call. */
export type DriveFor = (ctx: ApiContext) => Drive;

/** Makes the requests to Drive. */
export function createDriveClient({ url, token, limits, clock }: DriveClientOptions): DriveFor {
  const api = createApi({
    service: SERVICE,
    url,
    token: {
      get value() {
        return token.value;
      },
      help: LOGIN_HELP,
    },
    headers: { 'user-agent': 'tenon-server-gdrive' },
    limits,
    clock,
    waitFor: waitForDrive,
    noteOn: noteOnRefusal,
  });
  return (ctx) => {
    const call = api(ctx);
    /** Sends a request, and once more with another token if Drive refuses the first one, which may be revoked before it expires. */
    const authorized = async <T>(send: () => Promise<T>): Promise<T> => {
      const used = await token.get(ctx.signal);
      try {
        return await send();
      } catch (error) {
        if (apiErrorIn(error)?.status !== 401) throw error;
        await token.renew(used, ctx.signal);
        return send();
      }
    };
    const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
    const shared = { supportsAllDrives: true };
    return {
      async list(query) {
        // All shared drives, too.
        const places = { corpora: 'allDrives', includeItemsFromAllDrives: true, ...shared };
        const given = { ...query, ...places, fields: PAGE_FIELDS };
        return pick(SERVICE, PAGE, await authorized(() => call.json('files', { query: given })));
      },
      async details(id) {
        const query = { ...shared, fields: DETAIL_FIELDS };
        return pick(SERVICE, DETAILS, await authorized(() => call.json(`files/${encodeURIComponent(id)}`, { query })));
      },
      async download(id, maxBytes) {
        const at = new URL(`${url}/files/${encodeURIComponent(id)}?alt=media&supportsAllDrives=true`);
        const headers = maxBytes === undefined ? {} : { range: `bytes=0-${maxBytes - 1}` };
        return bytesOf(await authorized(() => call.fetch(at, { headers })));
      },
      async export(id, mimeType) {
        const query = { mimeType };
        return bytesOf(await authorized(() => call.send(`files/${encodeURIComponent(id)}/export`, { query })));
      },
      report: (message) => call.report(message),
    };
  };
}
