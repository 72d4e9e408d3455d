/** Whether a text matches a glob or another pattern. */
export type Matcher = (text: string) => boolean;

/** A matcher for a glob. `*` matches any number of characters, including none; everything else is literal. It takes linear time. */
export function globMatcher(glob: string): Matcher {
  const [first = '', ...rest] = glob.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return (text) => text === glob;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

/** Whether a text matches a glob. `*` matches any number of characters, including none; everything else is literal. Takes linear time. */
export function matches(glob: string, text: string): boolean {
  return globMatcher(glob)(text);
}
