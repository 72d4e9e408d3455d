import { escapeHidden } from '@tenon/values/hidden';

/** Most characters of a message to a person. */
const MAX_CHARACTERS = 2_000;

/** A message to a person, which may repeat what a server said: short enough, with escapes for what cannot be seen, on its own lines. */
export const displayText = (text: string): string =>
  truncate(
    text
      .slice(0, MAX_CHARACTERS + 1)
      .split('\n')
      .map((line) => escapeHidden(line))
      .join('\n'),
    MAX_CHARACTERS,
  );

/** The first characters of a text, never half of one. */
export const truncate = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 2)) ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
};
