import { HEADER } from '../../wire/headers.ts';
import type { Guard } from './guard.ts';

/** What to answer an OPTIONS request. */
export interface OptionsAnswer {
  readonly status: 204 | 403;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a page has to be allowed to send. `Mcp-Param-*` headers are as many as there are names, so they are looked at one by one. */
const ALLOWED: ReadonlySet<string> = new Set(['accept', 'authorization', 'content-type', ...Object.values(HEADER)]);
const PARAM = /^mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]+$/;

/** Headers that a page may read besides the usual ones. */
const EXPOSED = `${HEADER.session}, www-authenticate`;
const MAX_AGE_SECONDS = '600';

/**
 * The headers with which a page may read an answer (Fetch Standard, "CORS protocol"). The one origin that asked is named, never `*`,
 * and no credentials of the browser are asked for. None for a request that no page made, or one that the guard does not admit.
 */
export const corsHeaders = (guard: Guard, origin: string | null | undefined): Record<string, string> =>
  typeof origin === 'string' && guard.admits(origin)
    ? { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' }
    : {};

/**
 * Answers an OPTIONS request: the preflight of a page, or somebody who wants to know the methods.
 * `wanted` is its `Access-Control-Request-Headers`.
 */
export const answerOptions = (
  guard: Guard,
  origin: string | null | undefined,
  wanted: string | null | undefined,
  methods: readonly string[],
): OptionsAnswer => {
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
};
