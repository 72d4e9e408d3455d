/** Why a request is rejected. */
export interface Refused {
  readonly status: number;
  readonly message: string;
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

function isLoopbackOrigin(origin: string): boolean {
  try {
    const { protocol, hostname } = new URL(origin);
    return (protocol === 'http:' || protocol === 'https:') && LOOPBACK_NAMES.includes(hostname);
  } catch {
    return false;
  }
}

/**
 * Accepts only programs and pages of this machine. A page from elsewhere is recognized by its `Origin`; a page that reached this
 * machine by DNS rebinding, by its `Host`.
 */
export function refusalOf(
  { method = '', url = '', headers }: { method?: string; url?: string; headers: Readonly<Record<string, unknown>> },
  port: number,
): Refused | undefined {
  const { host, origin } = headers;
  const hosts = LOOPBACK_NAMES.map((name) => `${name}:${port}`);
  if (port === 80) hosts.push(...LOOPBACK_NAMES);
  if (typeof host !== 'string' || !hosts.includes(host.toLowerCase()))
    return { status: 403, message: `The Host header must be ${hosts[0]}: this proxy is for programs of this machine` };
  if (origin !== undefined && !(typeof origin === 'string' && isLoopbackOrigin(origin)))
    return { status: 403, message: 'Pages of other hosts may not use this proxy' };
  if (!url.startsWith('/') && !(url === '*' && method === 'OPTIONS'))
    return { status: 400, message: 'This proxy is for one server only: requests name a path, no address' };
  return undefined;
}
