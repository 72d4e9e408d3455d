// The two files of a login, in the forms of the original server: the keys of the app, and the credentials of the user.
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { decodeUtf8 } from '@tenon/values/utf8';
import { replaceFile } from '@tenon/values/node/replace-file';
import { ToolError } from 'tenon';
import { z } from 'zod';
import { targetOf } from '../../shared/link-target.ts';

export const KEYS_VARIABLE = 'GDRIVE_OAUTH_PATH';
export const CREDENTIALS_VARIABLE = 'GDRIVE_CREDENTIALS_PATH';

export interface LoginFiles {
  /** The path of the keys that Google gives out for an app: gcp-oauth.keys.json. */
  readonly keys: string;
  /** The path of the credentials that a login results in: .gdrive-server-credentials.json. */
  readonly credentials: string;
}

const MAX_BYTES = 1024 * 1024;

const VISIBLE = z.string().regex(/^[\x21-\x7e]+$/);
const KEYS = z.object({ client_id: VISIBLE, client_secret: VISIBLE.optional() });
const KEYS_FILE = z.object({ installed: KEYS.optional(), web: z.unknown().optional() });
/** Other members are kept: the original may still use the file. */
const CREDENTIALS = z.looseObject({
  access_token: VISIBLE.nullish(),
  refresh_token: VISIBLE.nullish(),
  /** When the access token expires, in milliseconds since 1970. */
  expiry_date: z.number().nullish(),
  scope: z.string().nullish(),
});

export type Keys = z.infer<typeof KEYS>;
export type Credentials = z.infer<typeof CREDENTIALS>;

/** The JSON in a file; undefined if there is no such file. Errors do not show the contents, which are secret. */
async function readJson(path: string, variable: string): Promise<unknown> {
  let bytes: Uint8Array;
  try {
    // Reading a pipe or a device might never end.
    const found = await stat(path);
    if (!found.isFile() || found.size > MAX_BYTES)
      throw new ToolError(`What ${variable} names is not a file, or has more than ${MAX_BYTES} bytes.`);
    bytes = await readFile(path);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new ToolError(`The file that ${variable} names cannot be read (${code}).`);
  }
  try {
    return JSON.parse(decodeUtf8(bytes) ?? '') as unknown;
  } catch {
    throw new ToolError(`The file that ${variable} names is not JSON.`);
  }
}

/** The keys of the app. Throws a `ToolError` that says how to get them. */
export async function readKeys({ keys: path }: LoginFiles): Promise<Keys> {
  const value = await readJson(path, KEYS_VARIABLE);
  const how = `The user can create a client of the type "Desktop app" at https://console.cloud.google.com/apis/credentials, download its keys as JSON, and set ${KEYS_VARIABLE} to the path of the file in the server's environment.`;
  if (value === undefined) throw new ToolError(`The keys of an app are missing. ${how}`);
  const { installed, web } = KEYS_FILE.safeParse(value).data ?? {};
  if (installed !== undefined) return installed;
  const found = web === undefined ? 'no keys of an app' : 'the keys of a web application';
  throw new ToolError(`The file that ${KEYS_VARIABLE} names has ${found}. ${how}`);
}

/** The credentials of the user; undefined before the first login. */
export async function readCredentials({ credentials: path }: LoginFiles): Promise<Credentials | undefined> {
  const value = await readJson(path, CREDENTIALS_VARIABLE);
  if (value === undefined) return undefined;
  const { data } = CREDENTIALS.safeParse(value);
  if (data === undefined) throw new ToolError(`The file that ${CREDENTIALS_VARIABLE} names has no credentials.`);
  return data;
}

/** Stores credentials so that only the user of this machine can read them. A link stays, and the file that it leads to is replaced. */
export async function writeCredentials(files: LoginFiles, credentials: Credentials): Promise<void> {
  const path = await targetOf(files.credentials);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, JSON.stringify(credentials));
}
