/**
 * Characters that a reader does not see, or that act on what shows them: control characters, halves of surrogate pairs, separators of lines,
 * marks that change the direction of writing, characters without a width, tags, and variation selectors (text can be hidden in those). For
 * most of them Unicode has the property Default_Ignorable_Code_Point (UAX #44). A class of a regular expression with the flag `u`.
 */
export const HIDDEN = String.raw`[\p{Cc}\p{Cs}\p{DI}\u2028\u2029\ufff9-\ufffc]`;

let everyHidden: RegExp | undefined;

/** The text with an escape for each character that `pattern` finds. */
export function escapeHidden(
  text: string,
  // Made when it is needed: a literal with properties of Unicode takes more than half a millisecond of every start.
  pattern = (everyHidden ??= new RegExp(HIDDEN, 'gu')),
): string {
  return text.replace(pattern, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** The first `max` characters of a text that came from elsewhere, well-formed and with escapes for what cannot be seen: safe for logs and error messages. */
export const shown = (value: unknown, max = 120): string => {
  const text = typeof value === 'string' ? value : wordFor(value);
  const cut = text.length > max ? `${beginningOf(text, max)}…` : text;
  return escapeHidden(cut);
};

/** At most `max` characters of a text, without half of the last one. */
function beginningOf(text: string, max: number): string {
  const isPair = (text.codePointAt(max - 1) ?? 0) > 0xffff;
  return text.slice(0, isPair ? max - 1 : max);
}

/** `String(value)` throws for an object of a peer that has a member `toString`. */
const wordFor = (value: unknown): string => {
  if (Array.isArray(value)) return '[array]';
  return typeof value === 'object' && value !== null ? '[object]' : String(value);
};

/** Why a connection failed, in words. `fetch` says only that it failed, and why in the cause. */
export const reasonOf = (error: Error): string => {
  const { cause } = error;
  const message = (cause instanceof Error && cause.message) || error.message;
  return message === '' ? String(((cause ?? error) as { code?: unknown }).code ?? 'unknown reason') : shown(message);
};
