/** What stands where a secret was. */
const GONE = '[redacted]';

/**
 * What looks like a secret, and what to put there. Repetitions are bounded, so that no text takes long. Better one too many than one too
 * few: it is a log of what was done, not of what was said.
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*/g, GONE],
  [/\b(bearer\s{1,20})[\w.~+/=-]{4,}/gi, `$1${GONE}`],
  [/\b(basic\s{1,20})[A-Za-z0-9+/]{16,}={0,2}/gi, `$1${GONE}`],
  // Everything before the host: some put a token where the name goes.
  [/(\b[a-z][a-z0-9+.-]{0,40}:\/\/)[^/?#\s]{1,1000}@/gi, `$1${GONE}@`],
  // Values of a query, and of a fragment: an answer of a login comes in one.
  [/([?&#;][^=&#;\s]{1,200}=)[^&#\s]+/g, `$1${GONE}`],
  [
    /((?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s{0,5}[:=]\s{0,5}["']?)[^\s"'&,;]+/gi,
    `$1${GONE}`,
  ],
  // JSON Web Tokens.
  [/eyJ[\w-]{5,4000}\.[\w-]{5,4000}(?:\.[\w-]*)*/g, GONE],
  // OpenAI, Anthropic and who does as they do; Stripe; GitHub; GitLab; Slack; AWS; Google; npm; Hugging Face.
  [/\bsk-[\w-]{12,}/g, GONE],
  [/\b[rsp]k_(?:live|test)_\w{8,}/g, GONE],
  [/gh[opsur]_\w{12,}/g, GONE],
  [/github_pat_\w{12,}/g, GONE],
  [/\bglpat-[\w-]{12,}/g, GONE],
  [/\bxox[a-z]-[\w-]{8,}/g, GONE],
  [/(?:AKIA|ASIA)[0-9A-Z]{12,}/g, GONE],
  [/AIza[\w-]{30,}/g, GONE],
  [/\bnpm_\w{30,}/g, GONE],
  [/\bhf_\w{20,}/g, GONE],
];

/**
 * Replaces what looks like a secret: tokens, keys, passwords and values in addresses.
 *
 * @example withoutSecrets('https://ann:pw@example.com/?q=me') // https://[redacted]@example.com/?q=[redacted]
 */
export const withoutSecrets = (text: string): string =>
  patterns.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text);
