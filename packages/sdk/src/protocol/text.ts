/** What is not shown as it is: control characters, those that change the direction of a text, and halves of a surrogate pair. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;

/** The first `max` characters of a text that came from elsewhere, well-formed and with control characters made visible: safe for logs and error messages. */
export const shown = (value: unknown, max = 120): string => {
  const text = typeof value === 'string' ? value : wordFor(value);
  const cut = text.length > max ? `${beginningOf(text, max)}…` : text;
  return cut.replace(UNSAFE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
  if (cause instanceof Error && cause.message !== '') return shown(cause.message);
  const { code } = (cause ?? error) as { code?: unknown };
  return error.message === '' ? String(code ?? 'unknown reason') : shown(error.message);
};
