import { HIDDEN } from '../../sdk/src/protocol/text.ts';

export { escapeHidden, shown } from '../../sdk/src/protocol/text.ts';

/** The blocks of scripts whose spelling needs joiners between letters: from Arabic to Sinhala, Khmer, Mongolian. */
const JOINING = String.raw`[\u0600-\u0dff\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]`;
const PICTURE = String.raw`\p{Extended_Pictographic}`;

/** Hidden characters that readable text needs, with the characters required around them. */
const NEEDED = [
  String.raw`[\n\t]`,
  // An emoji is shown in colour, and several are shown as one.
  String.raw`${PICTURE}\ufe0f`,
  String.raw`[#*0-9]\ufe0f(?=\u20e3)`,
  String.raw`(?:${PICTURE}\ufe0f?|\p{Emoji_Modifier})\u200d(?=${PICTURE})`,
  String.raw`${JOINING}[\u200c\u200d](?=${JOINING})`,
];

let inText: RegExp | undefined;

/**
 * Finds hidden characters in text for people. Line feeds, tabs, and the joiners and selectors that emoji and the spelling of some scripts
 * need are not matched; for names and quoted text, `escapeHidden` alone escapes those, too.
 */
export function hiddenInText(): RegExp {
  inText ??= new RegExp(`${HIDDEN}(?<!${NEEDED.join('|')})`, 'gu');
  return inText;
}
