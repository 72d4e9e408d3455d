import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { COMMON_HEADERS, pagePolicy, PERMISSIONS } from './headers.ts';

/** The built files of the page, read once at startup. No other file can be requested. */
export interface Assets {
  has(path: string): boolean;
  /** `path` must exist. `sandbox`: the origin that the page may embed. */
  send(path: string, request: IncomingMessage, response: ServerResponse, sandbox: string): void;
}

interface Asset {
  readonly type: string;
  readonly cache: string;
  /** By content coding; the empty name is the uncompressed file. */
  readonly codings: Map<string, Buffer>;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.json', 'application/json'],
  ['.webmanifest', 'application/manifest+json'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.woff2', 'font/woff2'],
  ['.txt', 'text/plain; charset=utf-8'],
]);
const CODINGS: ReadonlyMap<string, string> = new Map([
  ['.br', 'br'],
  ['.gz', 'gzip'],
]);
/** In order of preference. */
const PREFERRED = ['br', 'gzip'];

const MAX_FILES = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Vite puts a digest of the content into these names, and into no others. */
const HASHED = /^\/assets\/.*-[\w-]{8}\.\w+$/;
const FOREVER = 'public, max-age=31536000, immutable';

const PAGE = '/index.html';
/** The placeholder for the nonce in the built page. */
const PLACEHOLDER = '__NONCE__';

/** Reads the folder that Vite has built. Rejects if it has no page. */
export async function readAssets(folder: string): Promise<Assets> {
  const assets = await filesOf(folder);
  const page = assets.get(PAGE)?.codings.get('')?.toString();
  if (page === undefined)
    throw new Error(
      `There is no index.html in ${folder}: the page of the inspector is not built. Run the build first.`,
    );

  const sendPage = (response: ServerResponse, sandbox: string): void => {
    const nonce = randomBytes(16).toString('base64');
    response.writeHead(200, {
      ...COMMON_HEADERS,
      'content-type': TYPES.get('.html')!,
      'content-security-policy': pagePolicy(nonce, sandbox),
      'permissions-policy': PERMISSIONS,
      'x-frame-options': 'DENY',
    });
    response.end(page.replaceAll(PLACEHOLDER, nonce));
  };

  return {
    has: (path) => path === '/' || assets.has(path),
    send(path, request, response, sandbox) {
      if (path === '/' || path === PAGE) return sendPage(response, sandbox);
      const { type, cache, codings } = assets.get(path)!;
      const coding = codingFor(request.headers['accept-encoding'], codings);
      const content = codings.get(coding)!;
      if (coding !== '') response.setHeader('content-encoding', coding);
      response.writeHead(200, {
        ...COMMON_HEADERS,
        'cache-control': cache,
        'content-type': type,
        // An SVG that is opened directly is a document, and so are some other types.
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
        'content-length': content.length,
        vary: 'accept-encoding',
      });
      response.end(content);
      return undefined;
    },
  };
}

/** The smallest coding that a client accepts. */
function codingFor(accepted: string | undefined, codings: ReadonlyMap<string, Buffer>): string {
  const taken = new Set(
    (accepted ?? '')
      .split(',')
      .map((part) =>
        part
          .trim()
          .toLowerCase()
          .split(/\s*;\s*q=/),
      )
      .filter(([, quality]) => quality === undefined || Number(quality) > 0)
      .map(([name]) => name!),
  );
  return PREFERRED.find((coding) => taken.has(coding) && codings.has(coding)) ?? '';
}

async function filesOf(folder: string): Promise<ReadonlyMap<string, Asset>> {
  const assets = new Map<string, Asset>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw new Error(`The page of the inspector cannot be read: ${(error as Error).message}`, { cause: error });
  });
  // Symbolic links are skipped: they may point anywhere.
  const files = entries.filter((entry) => entry.isFile());
  if (files.length > MAX_FILES) throw new Error(`There are more than ${MAX_FILES} files in ${folder}`);
  let bytes = 0;
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    // Reading all of them synchronously takes two milliseconds. Awaiting each would cost a turn of the event loop per file, and turns are long while a trace is read.
    const content = readFileSync(path);
    bytes += content.length;
    if (bytes > MAX_BYTES) throw new Error(`The files in ${folder} are larger than ${MAX_BYTES} bytes`);
    const coding = CODINGS.get(extname(path)) ?? '';
    const plain = coding === '' ? path : path.slice(0, -extname(path).length);
    const name = `/${relative(folder, plain).split(sep).join('/')}`;
    const asset = assets.get(name) ?? assetOf(name);
    asset.codings.set(coding, content);
    assets.set(name, asset);
  }
  for (const [name, { codings }] of assets) if (!codings.has('')) assets.delete(name);
  return assets;
}

function assetOf(name: string): Asset {
  return {
    type: TYPES.get(extname(name).toLowerCase()) ?? 'application/octet-stream',
    cache: HASHED.test(name) ? FOREVER : 'no-store',
    codings: new Map(),
  };
}
