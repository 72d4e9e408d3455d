/** The text of a message, or a part of it. With a long content it is in three pieces: joining them would copy the content. */
export type MessageText = string | readonly [before: string, content: string, after: string];

/** A text of this many characters is not joined with others. */
const LONG = 32 * 1024;

/** Puts a text between two others. */
export function enclose(before: string, text: MessageText, after: string): MessageText {
  if (typeof text !== 'string') return [before + text[0], text[1], text[2] + after];
  return text.length < LONG ? before + text + after : [before, text, after];
}

/** The text in one piece. */
export function wholeText(text: MessageText): string {
  return typeof text === 'string' ? text : text.join('');
}
