/** Names with these endings mean that the value is secret, with any prefix. */
const ENDINGS =
  /(?:passwords?|passwd|passphrase|passcode|pwd|secrets?|credentials?|authorization|cookie|jwt|api_?key|access_?key|private_?key|secret_?key|signing_?key|encryption_?key|master_?key|service_?key|account_?key|auth_?key|token|code_?verifier|assertion|connection_?string)_?\d*$/;
/** The same, but only as whole words. */
const WORDS = /(?:^|_)(?:pass|otp|dsn|pat)$/;
/** Tokens that only mark a position. */
const PLAIN_TOKENS =
  /(?:progress|page|next|prev|previous|continuation|cancellation|sync|cursor|resume|start|stop|end|eos|bos|pad|max|pagination|delta|change)_?token$/;

/** `accessToken`, `ACCESS-TOKEN` → `access_token` */
function inWords(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z\d]+/g, '_')
    .toLowerCase();
}

const MAX_NAME_LENGTH = 200;

/** Returns whether a member, a variable, a parameter or an option of this name is likely to be secret. */
export function isSecretName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false;
  const words = inWords(name);
  return (ENDINGS.test(words) && !PLAIN_TOKENS.test(words)) || WORDS.test(words);
}

/** Names of secret variables that are too common as members of messages: `OPENAI_KEY`, `GITHUB_AUTH`. */
const VARIABLES = /(?:^|_)(?:key|auth)_?\d*$/;

/** Returns whether an environment variable is likely to be secret. Hiding a value that appears nowhere costs nothing. */
export function isSecretVariable(name: string): boolean {
  return isSecretName(name) || (name.length <= MAX_NAME_LENGTH && VARIABLES.test(inWords(name)));
}

/** A cheap test for texts that may contain such a name, or something that looks like a secret. */
const HINT =
  /pass|pwd|secret|credential|authorization|cookie|jwt|key|token|verifier|assertion|connection|otp|dsn|bearer|basic|eyJ|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|hooks\.slack|sk-|[rs]k_live_|hf_|ya29\.|AKIA|ASIA|AIza|npm_|-----BEGIN|:\/\/[^/\s"]{1,200}@|code=/i;

export function mayHoldSecrets(text: string): boolean {
  return HINT.test(text);
}
