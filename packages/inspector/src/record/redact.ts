import { rewriteJson } from './rewrite-json.ts';
import { isSecretName, mayHoldSecrets } from './secret-names.ts';
import { cleanText, GONE } from './secret-patterns.ts';

/** Removes secrets from texts before they are written. */
export interface Redactor {
  /** Hides this value from now on, wherever it appears. Short values are ignored, because they could appear by chance. */
  hide(secret: string): void;
  /**
   * The text without secrets, and whether there were any. JSON stays valid JSON, and everything else in it stays as it was
   * written.
   */
  clean(text: string): {
    /** The text, with `[redacted]` in place of each secret. */
    readonly text: string;
    /** Whether anything was removed. */
    readonly redacted: boolean;
  };
}

const GONE_JSON = JSON.stringify(GONE);
const SHORTEST = 8;
const MAX_LENGTH = 100_000;
const MAX_SECRETS = 1_000;
/** Strings in JSON may themselves contain JSON, up to this depth. */
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

/** The spellings of a secret: unchanged, escaped in JSON, and encoded in a URL or a form. */
function spellings(secret: string): ReadonlySet<string> {
  // Lone surrogates cannot be percent-encoded.
  const inAddress = /\p{Surrogate}/u.test(secret) ? secret : encodeURIComponent(secret);
  return new Set([secret, JSON.stringify(secret).slice(1, -1), inAddress, inAddress.replaceAll('%20', '+')]);
}

/** Known secret values. */
function createHidden() {
  /** Longest first, because one may be a part of another. */
  let list: string[] = [];
  const known = new Set<string>();
  return {
    add(secret: string): void {
      if (secret.length < SHORTEST || secret.length > MAX_LENGTH || known.has(secret)) return;
      known.add(secret);
      // Tokens are replaced by newer ones, so the oldest is dropped.
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
 * Creates a redactor. It recognizes secrets by their form, such as tokens, and by the names of members, such as `password`, and
 * it hides the given values.
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
    // A secret may be escaped in JSON, so a plain search does not find it.
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
