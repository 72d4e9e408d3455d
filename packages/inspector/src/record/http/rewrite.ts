import { type Field, valueOf, withField, withoutField } from './wire-headers.ts';

/** The two origins: the real one of the server, and the one that clients use. */
export interface Origins {
  readonly server: string;
  readonly proxy: string;
}

/** Replaces the origin of the server in a URL by that of the proxy. Other URLs stay unchanged. */
function moved(url: string, { server, proxy }: Origins): string {
  return url === server || [...'/?#'].some((sign) => url.startsWith(server + sign))
    ? proxy + url.slice(server.length)
    : url;
}

const METADATA = /(\bresource_metadata\s*=\s*"?)([^",\s]+)/gi;

/** Changes the headers of an answer so that the client keeps using the proxy. Returns the changes, in words. */
export function movedHeaders(fields: readonly Field[], origins: Origins): { fields: Field[]; changed: string[] } {
  const changed: string[] = [];
  const all = fields.map(([name, value]): Field => {
    const lower = name.toLowerCase();
    const own =
      lower === 'location' || lower === 'content-location'
        ? moved(value, origins)
        : lower === 'www-authenticate'
          ? value.replace(METADATA, (_, before: string, url: string) => before + moved(url, origins))
          : value;
    if (own !== value) changed.push(`${lower} names the proxy, not the server`);
    return [name, own];
  });
  return { fields: all, changed };
}

/** Returns whether a path is that of the metadata of a protected resource (RFC 9728). */
export function isResourceMetadata(path: string): boolean {
  return path.startsWith('/.well-known/oauth-protected-resource');
}

/**
 * The metadata of a protected resource, with the proxy as the resource: a client rejects the metadata of another server.
 * Undefined if nothing has to be changed.
 */
export function movedResource(body: string, origins: Origins): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { resource } = value as { resource?: unknown };
  if (typeof resource !== 'string') return undefined;
  const own = moved(resource, origins);
  return own === resource ? undefined : JSON.stringify({ ...value, resource: own });
}

/** The headers of an answer whose body was replaced. */
export function resized(fields: readonly Field[], body: Buffer): Field[] {
  const plain = withoutField(withoutField(fields, 'content-encoding'), 'etag');
  return withField(plain, 'Content-Length', String(body.length));
}

const EVENT_END = /\r\n\r\n|\n\n|\r\r/;
const ENDPOINT_DATA = /^(data:[ ]?)(\S+)/m;

/**
 * The first event of an HTTP+SSE stream (2024-11-05) has the URL for messages. If it is a URL of the server, it becomes one of
 * the proxy. Undefined until the event is complete.
 */
export function movedEndpoint(beginning: string, origins: Origins): string | undefined {
  const end = EVENT_END.exec(beginning);
  if (end === null) return undefined;
  const event = beginning.slice(0, end.index);
  if (!/^event:[ ]?endpoint\r?$/m.test(event)) return beginning;
  const own = event.replace(ENDPOINT_DATA, (_, before: string, url: string) => before + moved(url, origins));
  return own + beginning.slice(end.index);
}

/** Returns whether a response is an event stream. */
export function isEventStream(fields: readonly Field[]): boolean {
  return /^text\/event-stream\b/i.test(valueOf(fields, 'content-type') ?? '');
}
