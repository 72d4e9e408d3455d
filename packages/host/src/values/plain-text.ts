import { escapeHidden } from '@tenon/values/hidden';

/** Maximum length of a message to a person. */
const MAX_CHARACTERS = 2_000;

/** Prepares a message for display. It may quote a server, so it is shortened, and invisible characters are escaped; line breaks stay. */
export function displayText(text: string): string {
  return truncate(
    text
      .slice(0, MAX_CHARACTERS + 1)
      .split('\n')
      .map((line) => escapeHidden(line))
      .join('\n'),
    MAX_CHARACTERS,
  );
}

/** Shortens a text to at most `most` UTF-16 units, without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(maxLength - 2)) ? maxLength - 2 : maxLength - 1;
  return `${text.slice(0, end)}…`;
}
