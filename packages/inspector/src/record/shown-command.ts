import type { Redactor } from './redact.ts';
import { isSecretName } from './secret-names.ts';
import { GONE } from './secret-patterns.ts';

const OPTION = /^--?[A-Za-z][\w-]*$/;
const ASSIGNED = /^(-{0,2}[A-Za-z][\w.-]*)([=:]\s*)(.+)$/s;

/** What an argument tells by itself, with the secret it holds, if it does. */
const cut = (arg: string): { readonly shown: string; readonly secret?: string } => {
  const [, name, sign, value] = ASSIGNED.exec(arg) ?? [];
  if (name === undefined || !isSecretName(name)) return { shown: arg };
  return { shown: `${name}${sign}${GONE}`, secret: value!.replace(/^(?:bearer|basic|token)\s+/i, '') };
};

/**
 * A command as it is shown. What its arguments say to be secret (`--token abc`, `API_KEY=abc`, `Authorization: Bearer abc`) is not,
 * and is hidden from now on wherever it appears.
 */
export const shownCommand = (command: string, args: readonly string[], redactor: Redactor): string => {
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
  return redactor.clean([command, ...shown].join(' ')).text;
};

const PATH = /^(?:[~.]{0,2}\/|[A-Za-z]:\\)/;

/** Hides what the environment of a server says to be secret: the values of variables like `API_TOKEN`, the passwords in addresses. */
export const hideEnvironment = (env: Readonly<Record<string, string | undefined>>, redactor: Redactor): void => {
  for (const [name, value = ''] of Object.entries(env)) {
    const password = /^[a-z][\w+.-]*:\/\/[^/@\s]*:([^/@\s]+)@/i.exec(value)?.[1];
    if (password !== undefined) redactor.hide(password);
    // A path to where a secret is is none.
    else if (isSecretName(name) && !PATH.test(value)) redactor.hide(value);
  }
};
