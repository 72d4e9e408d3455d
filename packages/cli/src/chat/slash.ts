/** The name of a command or prompt, and the text after it. */
export interface Slash {
  readonly name: string;
  readonly rest: string;
}

/** Parses text that begins with `/`. Undefined: the text is for the model. */
export function slashIn(text: string): Slash | undefined {
  const [, name, rest = ''] = /^\/(\S+)\s*([^]*)$/.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, rest };
}
