import { isSecretName } from './secret-names.ts';

export const GONE = '[redacted]';

/** Something that is secret wherever it stands, and what is put in its place. Each takes time in proportion to the text. */
type Pattern = readonly [hint: RegExp, find: RegExp, put: (...found: string[]) => string];

function keepFirst(_: string, first: string): string {
  return `${first}${GONE}`;
}
function all(): string {
  return GONE;
}

const PATTERNS: readonly Pattern[] = [
  [/-----BEGIN/, /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}-----)?/g, all],
  [/bearer/i, /\b(bearer\s{1,5})[\w.~+/=-]{8,}/gi, keepFirst],
  [/basic/i, /\b([Bb]asic\s{1,5})(?=[\w+/]{0,200}[\dA-Z+/=])[\w+/]{8,}={0,2}/g, keepFirst],
  // The dots are looked for after the word was taken, so that no character is looked at twice.
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

/** The name that stands before a sign, quotes and a few blanks between. */
function nameBefore(text: string, sign: number): string {
  let end = sign;
  while (end > 0 && sign - end < 3 && isBlank(text.charCodeAt(end - 1))) end--;
  while (end > 0 && sign - end < 6 && isQuote(text.charCodeAt(end - 1))) end--;
  let start = end;
  while (start > 0 && end - start < MAX_NAME_LENGTH && isWord(text.charCodeAt(start - 1))) start--;
  return text.slice(start, end);
}

/** What follows the sign: a few blanks and quotes, perhaps the scheme of a header, and the value. */
const VALUE = /(\s{0,3}["'\\]{0,3}(?:(?:bearer|basic|token)\s{1,3})?)([^\s"'\\,;&]{1,10000})/iy;
const NO_VALUE = /^(?:null|true|false|undefined|none|…|\[redacted\])$/i;

/** After a colon and a blank stands a word of a sentence as often as a secret: `Token: paste it here`. */
const WORD = /^[a-z]{1,11}[.!?:)]?$/i;

/** Is it a name and a value? The scheme of a URL is not a name: `secret://notes`. */
function isValue(text: string, sign: number, before: string, value: string): boolean {
  return text[sign] === '=' || (!text.startsWith('//', sign + 1) && !(/^\s/.test(before) && WORD.test(value)));
}

/** Takes the values out of `name=value`, `name: value`, `"name":"value"` where the name says that they are secret. */
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

/** Takes out of a text what looks like a secret. For texts that are no JSON. */
export function cleanText(text: string): string {
  let left = text;
  for (const [hint, find, put] of PATTERNS) if (hint.test(left)) left = left.replace(find, put);
  return cleanAssigned(left);
}
