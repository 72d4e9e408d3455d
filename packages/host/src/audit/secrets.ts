/** The replacement of a secret. */
const REDACTED = '[redacted]';

/**
 * Patterns of secrets, and their replacements. Repetitions are bounded, so that every text takes linear time. False positives are
 * acceptable: the log needs actions, not contents.
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*/g, REDACTED],
  [/\b(bearer\s{1,20})[\w.~+/=-]{4,}/gi, `$1${REDACTED}`],
  [/\b(basic\s{1,20})[A-Za-z0-9+/]{16,}={0,2}/gi, `$1${REDACTED}`],
  // Everything before the host, as some put a token in place of the user name.
  [/(\b[a-z][a-z0-9+.-]{0,40}:\/\/)[^/?#\s]{1,1000}@/gi, `$1${REDACTED}@`],
  // Values of a query or fragment: the response of a login comes in a fragment.
  [/([?&#;][^=&#;\s]{1,200}=)[^&#\s]+/g, `$1${REDACTED}`],
  [
    /((?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s{0,5}[:=]\s{0,5}["']?)[^\s"'&,;]+/gi,
    `$1${REDACTED}`,
  ],
  // JSON Web Tokens.
  [/eyJ[\w-]{5,4000}\.[\w-]{5,4000}(?:\.[\w-]*)*/g, REDACTED],
  // OpenAI, Anthropic and similar; Stripe; GitHub; GitLab; Slack; AWS; Google; npm; Hugging Face.
  [/\bsk-[\w-]{12,}/g, REDACTED],
  [/\b[rsp]k_(?:live|test)_\w{8,}/g, REDACTED],
  [/gh[opsur]_\w{12,}/g, REDACTED],
  [/github_pat_\w{12,}/g, REDACTED],
  [/\bglpat-[\w-]{12,}/g, REDACTED],
  [/\bxox[a-z]-[\w-]{8,}/g, REDACTED],
  [/(?:AKIA|ASIA)[0-9A-Z]{12,}/g, REDACTED],
  [/AIza[\w-]{30,}/g, REDACTED],
  [/\bnpm_\w{30,}/g, REDACTED],
  [/\bhf_\w{20,}/g, REDACTED],
];

/**
 * Matches every text that one of the patterns matches, and more, as it ignores case. Most texts have no secret, and one test of all is much
 * faster than trying to replace each.
 */
const anyPattern = new RegExp(patterns.map(([{ source }]) => source).join('|'), 'i');

/**
 * Replaces texts that look like secrets: tokens, keys, passwords, and values in URLs.
 *
 * @example withoutSecrets('https://ann:pw@example.com/?q=me') // https://[redacted]@example.com/?q=[redacted]
 */
export function withoutSecrets(text: string): string {
  if (!anyPattern.test(text)) return text;
  return patterns.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text);
}
