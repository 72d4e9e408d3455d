import { rewriteJson } from './rewrite-json.ts';
import { isSecretName, mayHoldSecrets } from './secret-names.ts';
import { cleanText, GONE } from './secret-patterns.ts';

/** Takes secrets out of texts before they are written. */
export interface Redactor {
  /** From now on this value is not written, wherever it appears. Short ones are ignored: they appear by chance. */
  hide(secret: string): void;
  /** The text without secrets, and whether there were any. What was JSON is JSON, and all else in it stays as it was written. */
  clean(text: string): {
    /** The text as it may be written: `[redacted]` stands for each secret. */
    readonly text: string;
    /** Was anything taken out? */
    readonly redacted: boolean;
  };
}

const GONE_JSON = JSON.stringify(GONE);
const SHORTEST = 8;
const MAX_LENGTH = 100_000;
const MAX_SECRETS = 1_000;
/** Strings of JSON may hold JSON, and so on. */
const MAX_DEPTH = 4;
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

function isJson(text: string): boolean {
  if (!/^\s*[{["]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** How a secret may be written: as it is, inside JSON, inside an address, inside a form. */
function spellings(secret: string): ReadonlySet<string> {
  // Lone surrogates cannot be percent-encoded.
  const inAddress = /\p{Surrogate}/u.test(secret) ? secret : encodeURIComponent(secret);
  return new Set([secret, JSON.stringify(secret).slice(1, -1), inAddress, inAddress.replaceAll('%20', '+')]);
}

/** Values that are known to be secret. */
function createHidden() {
  /** The longest first: one may be a part of another. */
  let list: string[] = [];
  const known = new Set<string>();
  return {
    add(secret: string): void {
      if (secret.length < SHORTEST || secret.length > MAX_LENGTH || known.has(secret)) return;
      known.add(secret);
      // Tokens are replaced by newer ones: the oldest goes.
      if (known.size > MAX_SECRETS) known.delete([...known][0]!);
      list = [...new Set([...known].flatMap((each) => [...spellings(each)]))].sort((a, b) => b.length - a.length);
    },
    isIn: (text: string): boolean => list.some((secret) => text.includes(secret)),
    takeOut: (text: string): string =>
      list.reduce((left, secret) => (left.includes(secret) ? left.replaceAll(secret, GONE) : left), text),
    get some(): boolean {
      return list.length > 0;
    },
  };
}

/**
 * Makes a redactor that knows what secrets look like, such as tokens and members called `password`, and the values that it is told to hide.
 *
 * @example
 * ```ts
 * import { createRedactor } from '@tenon/inspector/trace';
 *
 * const redactor = createRedactor();
 * redactor.hide('correct horse battery');
 * redactor.clean('{"password":"x"}'); // { text: '{"password":"[redacted]"}', redacted: true }
 * ```
 */
export function createRedactor(): Redactor {
  const hidden = createHidden();

  const cleanJson = (text: string, depth: number): string =>
    rewriteJson(text, ({ type, value, name, isName }) => {
      const secret = !isName && name !== undefined && isSecretName(name);
      if (type === 'word')
        return !WORDS.has(value) && (secret || hidden.takeOut(value) === GONE) ? GONE_JSON : undefined;
      if (secret && value !== '') return GONE_JSON;
      const left = isName ? hidden.takeOut(value) : cleaned(value, depth + 1);
      return left === value ? undefined : JSON.stringify(left);
    });

  const cleaned = (text: string, depth: number): string => {
    // A secret may be spelled with escapes in JSON, so that it cannot be found before they are read.
    const maybe = mayHoldSecrets(text) || hidden.isIn(text) || (hidden.some && text.includes('\\'));
    if (!maybe) return text;
    if (depth < MAX_DEPTH && isJson(text)) return cleanJson(text, depth);
    return cleanText(hidden.takeOut(text));
  };

  return {
    hide: (secret) => hidden.add(secret),
    clean(text) {
      const left = cleaned(text, 0);
      return { text: left, redacted: left !== text };
    },
  };
}
