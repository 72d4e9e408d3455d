/** The usual paths of MCP endpoints. */
const PATHS = ['/mcp', '/api/mcp', '/', '/sse'] as const;
const TIMEOUT_MS = 2_000;
const MAX_BYTES = 64 * 1024;

/** The usual paths besides that of the URL, as the end of a sentence: `/api/mcp, / or /sse`. */
export function otherPaths(url: string): string {
  const paths: readonly string[] = pathsBeside(url);
  return `${paths.slice(0, -1).join(', ')} or ${paths.at(-1)}`;
}

function pathsBeside(url: string): readonly string[] {
  const path = URL.canParse(url) ? new URL(url).pathname : undefined;
  return PATHS.filter((one) => one !== path);
}

/** The beginning of a body: of a stream, until `found` matches. */
async function readUntil(response: Response, found: RegExp): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    text += decoder.decode(chunk, { stream: true });
    if (found.test(text) || size > MAX_BYTES) break;
  }
  return text;
}

/** Sends a ping, which begins no session: an MCP server answers it, if only with an error. HTTP+SSE has a stream instead. */
async function isEndpoint(url: string, isStream: boolean): Promise<boolean> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const found = isStream ? /^event: *endpoint\b/m : /"jsonrpc"\s*:\s*"2\.0"/;
  const request: RequestInit = isStream
    ? { headers: { accept: 'text/event-stream' } }
    : {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      };
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal });
    // Many servers answer an unknown path with an error of JSON-RPC.
    return found.test(await readUntil(response, found)) && response.status !== 404;
  } catch {
    return false;
  }
}

/** Looks at the usual paths of the same origin, without credentials, for an MCP endpoint. Returns its URL, if there is one. */
export async function findEndpoint(url: string): Promise<string | undefined> {
  if (!URL.canParse(url)) return undefined;
  const urls = pathsBeside(url).map((path) => new URL(path, url).href);
  const found = await Promise.all(urls.map((one) => isEndpoint(one, one.endsWith('/sse'))));
  return urls.find((_, index) => found[index]);
}

/** The advice for an address that does not answer as an MCP endpoint does. */
export async function fixForPath(url: string): Promise<string> {
  const found = await findEndpoint(url);
  if (found !== undefined) return `An MCP server answers at ${found}`;
  return `Is the path right? There is no MCP server at ${otherPaths(url)} either.`;
}
