import { metaKeyProblem } from '../protocol/meta.ts';
import { shown } from '../protocol/text.ts';

/** Of keys that extensions of the protocol define, only the protocol knows what they may be. */
const OFFICIAL = 'io.modelcontextprotocol/';
/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/s;

/** Throws a `TypeError` for `_meta` of a request that may not be sent. */
export const checkMeta = (meta: Readonly<Record<string, unknown>>): void => {
  for (const [key, value] of Object.entries(meta)) {
    const problem = key.startsWith(OFFICIAL) ? undefined : metaKeyProblem(key);
    if (problem !== undefined) throw new TypeError(`This is no key of _meta: ${problem}`);
    if (key === 'traceparent' && !(typeof value === 'string' && TRACEPARENT.test(value))) {
      throw new TypeError(`traceparent must be as W3C Trace Context has it, got '${shown(value)}'`);
    }
    if ((key === 'tracestate' || key === 'baggage') && typeof value !== 'string') {
      throw new TypeError(`${key} must be a string`);
    }
  }
};

/** Why `id` cannot name an extension, or undefined. It is a `_meta` key with a prefix. */
export const extensionProblem = (id: string): string | undefined => {
  if (!id.includes('/')) return `'${shown(id)}' has no prefix`;
  return id.startsWith(OFFICIAL) ? undefined : metaKeyProblem(id);
};
