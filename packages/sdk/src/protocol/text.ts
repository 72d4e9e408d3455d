/**
 * Characters that readers cannot see, or that change how text is displayed: control characters, lone surrogates, line separators,
 * directional formatting characters, zero-width characters, tags, and variation selectors (text can be hidden in those). Most of them have
 * the Unicode property Default_Ignorable_Code_Point (UAX #44). A character class for regular expressions with the flag `u`.
 */
export const HIDDEN = String.raw`[\p{Cc}\p{Cs}\p{DI}\u2028\u2029\ufff9-\ufffc]`;

let everyHidden: RegExp | undefined;

/** The text with an escape for each character that `pattern` matches. */
export function escapeHidden(
  text: string,
  // Created when it is first needed: as a literal, an expression with Unicode properties adds more than 0.5 ms to every start.
  pattern = (everyHidden ??= new RegExp(HIDDEN, 'gu')),
): string {
  return text.replace(pattern, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

/**
 * The first `max` characters of an untrusted text, well-formed and with escapes for invisible characters: safe for logs and error messages.
 */
export function shown(value: unknown, max = 120): string {
  const text = typeof value === 'string' ? value : wordFor(value);
  const cut = text.length > max ? `${truncate(text, max)}…` : text;
  return escapeHidden(cut);
}

/** At most `max` characters of a text, without splitting a surrogate pair. */
function truncate(text: string, max: number): string {
  const isPair = (text.codePointAt(max - 1) ?? 0) > 0xffff;
  return text.slice(0, isPair ? max - 1 : max);
}

/** `String(value)` throws for a peer's object that has a member `toString`. */
function wordFor(value: unknown): string {
  if (Array.isArray(value)) return '[array]';
  return typeof value === 'object' && value !== null ? '[object]' : String(value);
}

/** Why a connection failed. The message of a `fetch` error says only that it failed; its cause says why. */
export function reasonOf(error: Error): string {
  const { cause } = error;
  const message = (cause instanceof Error && cause.message) || error.message;
  return message === '' ? String(((cause ?? error) as { code?: unknown }).code ?? 'unknown reason') : shown(message);
}

/** The message of an error, or the text of whatever else was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
