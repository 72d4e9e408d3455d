import { metaKeyProblem } from '../protocol/meta.ts';
import { shown } from '../protocol/text.ts';

/** Keys with this prefix are defined by the protocol, so they are not checked here. */
const OFFICIAL = 'io.modelcontextprotocol/';
/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/s;

/** Throws a `TypeError` for invalid `_meta` of a request. */
export function checkMeta(meta: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(meta)) {
    const problem = key.startsWith(OFFICIAL) ? undefined : metaKeyProblem(key);
    if (problem !== undefined) throw new TypeError(`Invalid _meta key: ${problem}`);
    if (key === 'traceparent' && !(typeof value === 'string' && TRACEPARENT.test(value))) {
      throw new TypeError(`traceparent must follow W3C Trace Context, got '${shown(value)}'`);
    }
    if ((key === 'tracestate' || key === 'baggage') && typeof value !== 'string') {
      throw new TypeError(`${key} must be a string`);
    }
  }
}

/** The reason why `id` is not a valid extension name (a `_meta` key with a prefix), or undefined. */
export function extensionProblem(id: string): string | undefined {
  if (!id.includes('/')) return `'${shown(id)}' has no prefix`;
  return id.startsWith(OFFICIAL) ? undefined : metaKeyProblem(id);
}
