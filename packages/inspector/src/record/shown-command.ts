import type { Redactor } from './redact.ts';
import { isSecretName, isSecretVariable } from './secret-names.ts';
import { GONE } from './secret-patterns.ts';

const OPTION = /^--?[A-Za-z][\w-]*$/;
const ASSIGNED = /^(-{0,2}[A-Za-z][\w.-]*)([=:]\s*)(.+)$/s;

/** An argument without regard to its neighbours, with the secret that it contains, if any. */
function cut(arg: string): { readonly shown: string; readonly secret?: string } {
  const [, name, sign, value] = ASSIGNED.exec(arg) ?? [];
  if (name === undefined || !isSecretName(name)) return { shown: arg };
  return { shown: `${name}${sign}${GONE}`, secret: value!.replace(/^(?:bearer|basic|token)\s+/i, '') };
}

/** A blank to whoever looks for secrets, and in hardly any argument. */
const BETWEEN = '\v';

/** The words without what is secret: also what only several together show to be, such as `Bearer abc`. */
function cleanWords(words: readonly string[], redactor: Redactor): readonly string[] {
  const apart = redactor.clean(words.join(BETWEEN)).text.split(BETWEEN);
  const { text, redacted } = redactor.clean(apart.join(' '));
  return redacted || apart.length !== words.length ? text.split(' ') : apart;
}

/**
 * A command as it is shown, word by word. What its arguments say to be secret (`--token abc`, `API_KEY=abc`,
 * `Authorization: Bearer abc`) is not, and is hidden from now on wherever it appears.
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

/** Hides what the environment of a server says to be secret: the values of variables like `API_TOKEN`, the passwords in addresses. */
export function hideEnvironment(env: Readonly<Record<string, string | undefined>>, redactor: Redactor): void {
  for (const [name, value = ''] of Object.entries(env)) {
    const password = /^[a-z][\w+.-]*:\/\/[^/@\s]*:([^/@\s]+)@/i.exec(value)?.[1];
    if (password !== undefined) redactor.hide(password);
    // The path of a file with a secret is not a secret.
    else if (isSecretVariable(name) && !PATH.test(value)) redactor.hide(value);
  }
}
