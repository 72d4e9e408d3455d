import type { Redactor } from './redact.ts';
import { isSecretName, isSecretVariable } from './secret-names.ts';
import { GONE } from './secret-patterns.ts';

const OPTION = /^--?[A-Za-z][\w-]*$/;
const ASSIGNED = /^(-{0,2}[A-Za-z][\w.-]*)([=:]\s*)(.+)$/s;

/** An argument without regard to its neighbours, and the secret in it, if any. */
function cut(arg: string): { readonly shown: string; readonly secret?: string } {
  const [, name, sign, value] = ASSIGNED.exec(arg) ?? [];
  if (name === undefined || !isSecretName(name)) return { shown: arg };
  return { shown: `${name}${sign}${GONE}`, secret: value!.replace(/^(?:bearer|basic|token)\s+/i, '') };
}

/** The redactor treats it as whitespace, and hardly any argument contains it. */
const BETWEEN = '\v';

/** The words without secrets, including secrets that only several words together reveal, such as `Bearer abc`. */
function cleanWords(words: readonly string[], redactor: Redactor): readonly string[] {
  const apart = redactor.clean(words.join(BETWEEN)).text.split(BETWEEN);
  const { text, redacted } = redactor.clean(apart.join(' '));
  return redacted || apart.length !== words.length ? text.split(' ') : apart;
}

/**
 * The words of a command for display. Secrets in its arguments (`--token abc`, `API_KEY=abc`, `Authorization: Bearer abc`) are
 * replaced, and hidden everywhere from now on.
 */
export function shownWords(command: string, args: readonly string[], redactor: Redactor): readonly string[] {
  const shown = args.map((arg, at) => {
    const before = args[at - 1];
    if (before !== undefined && OPTION.test(before) && isSecretName(before) && !arg.startsWith('-')) {
      redactor.hide(arg);
      return GONE;
    }
    const { shown: own, secret } = cut(arg);
    if (secret !== undefined) redactor.hide(secret);
    return own;
  });
  return cleanWords([command, ...shown], redactor);
}

/** The same for people to read: word boundaries are lost, so it cannot be pasted into a shell. */
export function shownCommand(command: string, args: readonly string[], redactor: Redactor): string {
  return shownWords(command, args, redactor).join(' ');
}

const PATH = /^(?:[~.]{0,2}\/|[A-Za-z]:\\)/;

/** Hides the secrets in the environment of a server: the values of variables such as `API_TOKEN`, and the passwords in URLs. */
export function hideEnvironment(env: Readonly<Record<string, string | undefined>>, redactor: Redactor): void {
  for (const [name, value = ''] of Object.entries(env)) {
    const password = /^[a-z][\w+.-]*:\/\/[^/@\s]*:([^/@\s]+)@/i.exec(value)?.[1];
    if (password !== undefined) redactor.hide(password);
    // The path of a file with a secret is not a secret.
    else if (isSecretVariable(name) && !PATH.test(value)) redactor.hide(value);
  }
}
