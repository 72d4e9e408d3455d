import { isSecretName } from './secret-names.ts';

export const GONE = '[redacted]';

/** A secret that is recognized anywhere, and its replacement. Each pattern takes linear time. */
type Pattern = readonly [hint: RegExp, find: RegExp, put: (...found: string[]) => string];

function keepFirst(_: string, first: string): string {
  return `${first}${GONE}`;
}
function all(): string {
  return GONE;
}

/** `Bearer authentication.` */
const WORD_OF_PROSE =
  /^(?:authenticat(?:ion|ed|or)|authoriz(?:ation|ed)|credentials?|challenges?|security|protected|required)[.]?$/i;

/** Is it the base64 of a name and a password? With digits or signs it is no word of prose, so it counts as one. */
function isCredential(word: string): boolean {
  if (/[\d+/=]/.test(word)) return true;
  try {
    return /^[ -~]*:[ -~]*$/.test(atob(word.slice(0, word.length - (word.length % 4))));
  } catch {
    return false;
  }
}

const PATTERNS: readonly Pattern[] = [
  [/-----BEGIN/, /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}-----)?/g, all],
  // In a challenge, parameters follow the scheme: a name in lower case, and a value in quotes.
  [
    /bearer/i,
    /\b([Bb][Ee][Aa][Rr][Ee][Rr]\s{1,5})(?![a-z_-]{1,40} ?= ?\\{0,4}"[^\s",}\]\\])([\w.~+/=-]{8,})/g,
    (whole, first, token) => (WORD_OF_PROSE.test(token!) ? whole! : `${first}${GONE}`),
  ],
  [
    /basic/i,
    /\b([Bb]asic\s{1,5})([\w+/]{8,}={0,2})/g,
    (whole, first, word) => (isCredential(word!) ? `${first}${GONE}` : whole!),
  ],
  // The dots are checked after the match, so that no character is read twice.
  [/eyJ/, /eyJ[\w-]*(\.[\w-]*)?(\.[\w-]*)?/g, (found, second, third) => (second && third ? GONE : found)],
  [/gh[opsur]_|github_pat_/, /\b(?:gh[opsur]_|github_pat_)\w{16,}/g, all],
  [/glpat-/, /\bglpat-[\w-]{16,}/g, all],
  [/xox[abeoprs]-/, /\bxox[abeoprs]-[\w-]{8,}/g, all],
  [/hooks\.slack/, /\b(hooks\.slack\.com\/services\/)[\w/]{8,}/g, keepFirst],
  [/sk-/, /\bsk-[\w-]{16,}/g, all],
  [/[rs]k_live_/, /\b[rs]k_live_\w{8,}/g, all],
  [/hf_/, /\bhf_[A-Za-z\d]{16,}/g, all],
  [/ya29\./, /\bya29\.[\w-]{16,}/g, all],
  [/AKIA|ASIA/, /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g, all],
  [/AIza/, /\bAIza[\w-]{30,}/g, all],
  [/npm_/, /\bnpm_\w{30,}/g, all],
  [/:\/\//, /(:\/\/[^/\s"'<>@:]{0,200}:)[^/\s"'<>@]{1,500}@/g, (_, first) => `${first}${GONE}@`],
  [
    /code=|assertion=|_token=/,
    /((?:^|[?&])(?:code|device_code|assertion|subject_token|actor_token)=)[^&\s"'<>#]{8,}/g,
    keepFirst,
  ],
];

const MAX_NAME_LENGTH = 100;
function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 45
  );
}
function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x5c;
}
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** The name before a sign, ignoring quotes and a few blanks between them. */
function nameBefore(text: string, sign: number): string {
  let end = sign;
  while (end > 0 && sign - end < 3 && isBlank(text.charCodeAt(end - 1))) end--;
  while (end > 0 && sign - end < 6 && isQuote(text.charCodeAt(end - 1))) end--;
  let start = end;
  while (start > 0 && end - start < MAX_NAME_LENGTH && isWord(text.charCodeAt(start - 1))) start--;
  return text.slice(start, end);
}

/** The text after the sign: a few blanks and quotes, an optional scheme of a header, and the value. */
const VALUE = /(\s{0,3}["'\\]{0,3}(?:(?:bearer|basic|token)\s{1,3})?)([^\s"'\\,;&]{1,10000})/iy;
const NO_VALUE = /^(?:null|true|false|undefined|none|…|\[redacted\])$/i;

/** After a colon and a blank, a word of a sentence is as likely as a secret: `Token: paste it here`. */
const WORD = /^[a-z]{1,11}[.!?:)]?$/i;

/** Returns whether the text is a name with a value. The scheme of a URL is not a name: `secret://notes`. */
function isValue(text: string, sign: number, before: string, value: string): boolean {
  return (
    text[sign] === '=' ||
    (!text.startsWith('//', sign + 1) && !(/^\s/.test(before) && !/bearer|basic/i.test(before) && WORD.test(value)))
  );
}

/** Removes the values from `name=value`, `name: value`, `"name":"value"` if the name means that they are secret. */
function cleanAssigned(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  for (const { index } of text.matchAll(/[=:]/g)) {
    if (index < kept || !isSecretName(nameBefore(text, index))) continue;
    VALUE.lastIndex = index + 1;
    const [whole, before, value] = VALUE.exec(text) ?? [];
    if (whole === undefined || NO_VALUE.test(value!) || !isValue(text, index, before!, value!)) continue;
    parts.push(text.slice(kept, index + 1), before!, GONE);
    kept = index + 1 + whole.length;
  }
  return parts.join('') + text.slice(kept);
}

/** Removes everything that looks like a secret from a text that is not JSON. */
export function cleanText(text: string): string {
  let left = text;
  for (const [hint, find, put] of PATTERNS) if (hint.test(left)) left = left.replace(find, put);
  return cleanAssigned(left);
}
