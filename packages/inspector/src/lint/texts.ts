import { hiddenInText } from '@tenon/values/hidden';
import { listed } from '../values/words.ts';
import type { LintRule, LintText, RuleGroup } from './rule.ts';

type TextRule = LintRule<LintText>;

/** Flag emoji, whose tag characters are legitimate. */
const FLAG = /\u{1f3f4}[\u{e0061}-\u{e007a}]{1,6}\u{e007f}/gu;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
/** A quick test for anything but plain text. Most texts end here. */
const UNUSUAL = /[^\t\n\r\u0020-\u007e]/;

function codeOf(sign: string): string {
  return `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

function found(text: string, shape: RegExp): string {
  const signs = new Set<string>();
  let count = 0;
  for (const [sign] of text.matchAll(shape)) {
    signs.add(codeOf(sign));
    count += 1;
  }
  return count === 0 ? '' : `${count} (${listed([...signs])})`;
}

const hidden: TextRule = {
  id: 'text-hidden',
  title: 'Invisible characters: zero-width, bidirectional controls, Unicode tags',
  why: 'A model reads them, but a person who approves the tool does not: a way to smuggle in instructions.',
  severity: 'warning',
  see({ text }, _context, report) {
    if (!UNUSUAL.test(text)) return;
    // A rule of its own covers control characters.
    const hits = found(text.replace(FLAG, '').replace(/\p{Cc}/gu, ' '), hiddenInText());
    if (hits !== '') report(`Invisible characters: ${hits}`, { fix: 'Remove them.' });
  },
};

const control: TextRule = {
  id: 'text-control',
  title: 'Control characters, including escape sequences for terminals',
  why: 'A terminal acts on them: it hides text, moves the cursor, or shows a misleading link.',
  severity: 'warning',
  see({ text }, _context, report) {
    if (!UNUSUAL.test(text)) return;
    const hits = found(text, CONTROL);
    if (hits === '') return;
    const escape = /[\u001b\u009b]/.test(text);
    report(`${escape ? 'An escape sequence for terminals' : 'Control characters'}: ${hits}`, { fix: 'Remove them.' });
  },
};

/** Instructions addressed to a model instead of a person. Each pattern takes linear time, because its gaps are bounded. */
const TO_THE_MODEL: readonly (readonly [shape: RegExp, what: string])[] = [
  [
    /\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|system|other)\b.{0,20}\b(?:instruction|prompt|message|rule|direction|context|tool)/is,
    'tells to ignore other instructions',
  ],
  [
    /\b(?:do not|don't|never|must not|without)\b.{0,20}\b(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|revealing|show|showing|disclose|alert)\b.{0,30}\b(?:user|human|person|anyone)\b/is,
    'tells to hide something from the user',
  ],
  [
    // `--secret <secret>` describes an option.
    /(?<!--[\w-]{1,60}[ =])<\/?(?:important|system|secret|instructions?|override|hidden|admin|assistant)\b[^<>]{0,100}>/i,
    'has a tag that models take for an order',
  ],
  [
    /<\|(?:im_start|im_end|system|user|assistant|endoftext)[^<>]{0,20}\|>|\[\/?INST\]|<<SYS>>/i,
    'has the marks of a chat template',
  ],
  [
    /\bbefore (?:using|calling|invoking|running) (?:this|any|other|the|another)\b.{0,60}\b(?:read|call|send|fetch|execute|run|include|pass)\b/is,
    'demands an action before a tool is called',
  ],
  [
    /\b(?:read|send|include|pass|attach|upload|copy|contents? of)\b.{0,60}(?:~\/\.\w|\.ssh\b|id_rsa|\bmcp\.json\b|\.env\b|\/etc\/passwd|\.aws\b|private key)/is,
    'asks for files with secrets',
  ],
  [
    /\b(?:instead of|rather than|do not use|never use)\b.{0,30}\b(?:any other|all other|the other|other)\b.{0,20}\btools?\b/is,
    'discourages the use of other tools',
  ],
];
/** A word that one of the patterns requires: without it, a text is read only once. */
const SUSPECT =
  /ignore|disregard|forget|override|user|human|person|anyone|<\/?\w|<\||\[\/?INST\]|<<SYS|before (?:using|calling|invoking|running)|~\/\.|\.ssh|id_rsa|mcp\.json|\.env|passwd|\.aws|private key|other/i;

const injection: TextRule = {
  id: 'text-injection',
  title:
    'Instructions to the model: to ignore other instructions, to hide something from the user, to read files with secrets',
  why: 'They give the server influence on everything that the model does ("tool poisoning"). Hosts that detect it refuse the tool.',
  severity: 'warning',
  see({ text }, _context, report) {
    if (!SUSPECT.test(text)) return;
    for (const [shape, what] of TO_THE_MODEL)
      if (shape.test(text))
        report(`The text ${what}`, { fix: 'Describe only what the tool does, without instructions to the model.' });
  },
};

const comment: TextRule = {
  id: 'text-html-comment',
  title: 'HTML comments',
  why: 'They are invisible to people where Markdown is rendered, but not to the model.',
  severity: 'warning',
  see({ text }, _context, report) {
    if (text.includes('<!--')) report('The text has an HTML comment', { fix: 'Remove it.' });
  },
};

/** Code blocks and spans, which are shown as text. Longer ones are treated as ordinary text. */
const CODE = /^ {0,3}(```|~~~)[\s\S]{0,20000}?^ {0,3}\1|(`{1,3})(?!`)[^`]{1,2000}\2(?!`)/gm;
const ELSEWHERE = /(?:https?:)?\/\/[^\s/]/.source;
/** Ways to embed an image from another host. */
const PICTURES: readonly RegExp[] = [
  new RegExp(`!\\[[^\\]]{0,200}\\]\\(\\s{0,5}<?${ELSEWHERE}`, 'i'),
  new RegExp(`<img\\s(?:[^<>]{0,500}?\\s)?src(?:set)?\\s{0,5}=\\s{0,5}["']?\\s{0,5}${ELSEWHERE}`, 'i'),
];
const REFERRED = /!\[([^\]]{0,200})\](?:\[([^\]]{0,200})\])?/g;

/** An image whose URL is elsewhere in the text: `![x][name]`, and `[name]: https://…`. */
function hasReferredPicture(text: string): boolean {
  const places = new Set(
    [...text.matchAll(new RegExp(`^ {0,3}\\[([^\\]]{1,200})\\]:\\s{0,5}<?${ELSEWHERE}`, 'gim'))].map(([, name]) =>
      name!.toLowerCase(),
    ),
  );
  if (places.size === 0) return false;
  for (const [, alt, name] of text.matchAll(REFERRED))
    if (places.has((name === undefined || name === '' ? alt! : name).toLowerCase())) return true;
  return false;
}

const image: TextRule = {
  id: 'text-remote-image',
  title: 'Images from another host in a text',
  why: 'A client that renders Markdown fetches them, and so reveals to their host who views them, and when.',
  severity: 'warning',
  see({ text }, _context, report) {
    if (!text.includes('![') && !/<img\s/i.test(text)) return;
    const shown = text.replace(CODE, ' ');
    if (PICTURES.some((shape) => shape.test(shown)) || hasReferredPicture(shown))
      report('The text embeds an image from another host', { fix: 'Use icons, or leave the image out.' });
  },
};

export const textRules: RuleGroup = { text: [hidden, control, injection, comment, image] };
