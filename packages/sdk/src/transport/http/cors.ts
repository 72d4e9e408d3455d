import { HEADER } from '../../wire/headers.ts';
import type { Guard } from './host-guard.ts';

/** The response to an OPTIONS request. */
export interface OptionsAnswer {
  readonly status: 204 | 403;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers that pages may send. There are any number of `Mcp-Param-*` headers, so those are checked one by one. */
const ALLOWED: ReadonlySet<string> = new Set(['accept', 'authorization', 'content-type', ...Object.values(HEADER)]);
const PARAM = /^mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]+$/;

/** Response headers that pages may read besides the standard ones. */
const EXPOSED = `${HEADER.session}, retry-after, www-authenticate`;
const MAX_AGE_SECONDS = '600';

/**
 * The CORS headers that let a page read a response (Fetch Standard, "CORS protocol"). They name the one origin that asked, never `*`, and
 * never allow credentials of the browser. None if the request does not come from a page, or the guard does not admit its origin.
 */
export function corsHeaders(guard: Guard, origin: string | null | undefined): Record<string, string> {
  return typeof origin === 'string' && guard.admits(origin)
    ? { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' }
    : {};
}

/**
 * Answers an OPTIONS request: a CORS preflight, or a client that asks for the methods. `wanted` is the value of
 * `Access-Control-Request-Headers`.
 */
export function answerOptions(
  guard: Guard,
  origin: string | null | undefined,
  wanted: string | null | undefined,
  methods: readonly string[],
): OptionsAnswer {
  const allow = methods.join(', ');
  if (typeof origin !== 'string') return { status: 204, headers: { allow } };
  if (!guard.admits(origin)) return { status: 403, headers: {} };
  const params = (wanted ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => PARAM.test(name));
  const headers = {
    allow,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': allow,
    'access-control-allow-headers': [...ALLOWED, ...params].join(', '),
    'access-control-max-age': MAX_AGE_SECONDS,
    vary: 'Origin, Access-Control-Request-Headers',
  };
  return { status: 204, headers };
}
