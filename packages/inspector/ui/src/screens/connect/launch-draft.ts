import type { LaunchBody } from '../../../../src/api/bodies.ts';
import type { LaunchParts } from '../../../../src/api/views.ts';

// The draft of how a process is started. It contains only secrets typed here: others are kept by their index.

/** An argument. `keep`: its index among the current arguments, as long as it is not changed. */
export interface ArgumentDraft {
  readonly key: number;
  readonly text: string;
  readonly keep: number | undefined;
  /** Its text hides a secret. */
  readonly secret: boolean;
}

/** A variable. `kept`: it has a hidden value, as long as no other is typed. */
export interface VariableDraft {
  readonly key: number;
  readonly name: string;
  readonly value: string;
  readonly kept: 'secret' | 'inherited' | undefined;
  /** It exists already, so its name cannot be changed. */
  readonly known: boolean;
}

export interface LaunchDraft {
  /** `keep`: it is unchanged. */
  readonly command: { readonly text: string; readonly keep: boolean; readonly secret: boolean };
  /** Empty: the folder of the inspector. */
  readonly cwd: string;
  readonly args: readonly ArgumentDraft[];
  readonly env: readonly VariableDraft[];
  /** The key of the next row. */
  readonly next: number;
}

export function draftOf({ command, cwd = '', args, env }: LaunchParts): LaunchDraft {
  return {
    command: { ...command, keep: true },
    cwd,
    args: args.map(({ text, secret }, at) => ({ key: at, text, keep: at, secret })),
    env: env.map(({ name, value = '', kept }, at) => ({ key: args.length + at, name, value, kept, known: true })),
    next: args.length + env.length,
  };
}

export function withCommand(draft: LaunchDraft, text: string): LaunchDraft {
  return { ...draft, command: { text, keep: false, secret: false } };
}

export function withFolder(draft: LaunchDraft, cwd: string): LaunchDraft {
  return { ...draft, cwd };
}

/** The draft with another text for an argument, which then counts as changed. */
export function withArgument(draft: LaunchDraft, key: number, text: string): LaunchDraft {
  return {
    ...draft,
    args: draft.args.map((arg) => (arg.key === key ? { ...arg, text, keep: undefined, secret: false } : arg)),
  };
}

export function withVariable(
  draft: LaunchDraft,
  key: number,
  change: Partial<Pick<VariableDraft, 'name' | 'value'>>,
): LaunchDraft {
  return {
    ...draft,
    env: draft.env.map((one) =>
      one.key === key ? { ...one, ...change, kept: change.value === undefined ? one.kept : undefined } : one,
    ),
  };
}

export function withoutRow(draft: LaunchDraft, key: number): LaunchDraft {
  return {
    ...draft,
    args: draft.args.filter((one) => one.key !== key),
    env: draft.env.filter((one) => one.key !== key),
  };
}

export function withNewArgument({ args, next, ...rest }: LaunchDraft): LaunchDraft {
  return { ...rest, args: [...args, { key: next, text: '', keep: undefined, secret: false }], next: next + 1 };
}

export function withNewVariable({ env, next, ...rest }: LaunchDraft): LaunchDraft {
  const added = { key: next, name: '', value: '', kept: undefined, known: false };
  return { ...rest, env: [...env, added], next: next + 1 };
}

/** The request body. Rows of variables without a name are left out. */
export function bodyOf({ command, cwd, args, env }: LaunchDraft): LaunchBody {
  return {
    command: command.keep ? undefined : command.text,
    cwd,
    args: args.map(({ text, keep }) => (keep === undefined ? { text } : { keep })),
    env: env
      .filter(({ name, value }) => name !== '' || value !== '')
      .map(({ name, value, kept }) => (kept === undefined ? { name, value } : { name })),
  };
}
