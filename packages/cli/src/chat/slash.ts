/** A command or a prompt, and what is written after it. */
export interface Slash {
  readonly name: string;
  readonly rest: string;
}

/** What begins with `/`. Undefined: the text is for the model. */
export const slashIn = (text: string): Slash | undefined => {
  const [, name, rest = ''] = /^\/(\S+)\s*([^]*)$/.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, rest };
};
