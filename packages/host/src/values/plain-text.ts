/**
 * What a terminal, or a reader, might take for something else than text: control characters, marks that turn the direction of writing,
 * characters without a width, tag characters, variation selectors (text can be hidden in those), halves of surrogate pairs.
 */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]|\u034f|\p{Variation_Selector}|\p{Surrogate}/gu;

const escapeOf = (sign: string): string => {
  const code = sign.codePointAt(0)!;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** The text on one line, with escapes for what cannot be seen. */
export const plainText = (text: string): string => text.replace(UNSEEN, escapeOf);

/** Most characters of a message to a person. */
const MOST_TOLD = 2_000;

/** A message to a person, which may repeat what a server said: short enough, with escapes for what cannot be seen, on its own lines. */
export const toldText = (text: string): string =>
  cutTo(
    text
      .slice(0, MOST_TOLD + 1)
      .split('\n')
      .map(plainText)
      .join('\n'),
    MOST_TOLD,
  );

/** The first characters of a text, never half of one. */
export const cutTo = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 2)) ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
};
