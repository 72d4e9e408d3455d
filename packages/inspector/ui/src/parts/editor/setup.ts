import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { hiddenInText } from '@tenon/values/hidden';
import { codePoint } from '../inert.ts';

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'transparent', color: 'var(--text)', fontSize: 'var(--small)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 12px 0 4px' },
  '.cm-gutters': { backgroundColor: 'transparent', border: '0', color: 'var(--dim)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(#c9cef8, #3d468c)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', borderColor: 'var(--line)', color: 'var(--text)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', borderColor: 'var(--line)', color: 'var(--dim)' },
  '.cm-hidden-sign': {
    margin: '0 1px',
    padding: '0 3px',
    borderRadius: '3px',
    backgroundColor: 'var(--bad-soft)',
    color: 'var(--bad)',
    fontSize: '10.5px',
  },
  // The default characters exist in few fonts.
  '&.cm-editor .cm-collapsedLines:before, &.cm-editor .cm-collapsedLines:after': { content: '""' },
  '&.cm-editor .cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--dim)' },
  '.cm-changedLine, .cm-deletedChunk': { backgroundColor: 'transparent' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--bad-soft)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--ok-soft)' },
  '&.cm-merge-a .cm-changedText': { background: 'light-dark(#f3c2be, #6b2d29)' },
  '&.cm-merge-b .cm-changedText': { background: 'light-dark(#b5e0c5, #275a3d)' },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-key)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--code-word)' },
]);

const hiddenSigns = highlightSpecialChars({
  specialChars: hiddenInText(),
  render: (code, description) => {
    const element = document.createElement('span');
    element.className = 'cm-hidden-sign';
    element.textContent = codePoint(code);
    element.title = description ?? 'invisible character';
    return element;
  },
});

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** The common setup of all editors and views. Only line feeds end lines, so carriage returns are visible. */
export function common(label: string): Extension {
  return [
    EditorView.cspNonce.of(nonce),
    EditorState.lineSeparator.of('\n'),
    EditorState.tabSize.of(2),
    look,
    syntaxHighlighting(colours),
    hiddenSigns,
    EditorView.lineWrapping,
    // Focusable, so that it can be scrolled with the keyboard.
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    search({ top: true }),
  ];
}

/** JSON, with folding. */
export const asJson: Extension = [json(), codeFolding(), foldGutter()];

/** Text that is not JSON, without a fold gutter. */
export const asText: Extension = EditorView.theme({ '.cm-line': { padding: '0 12px' } });

/** `Mod-Enter` is left to the screen, which sends. */
const keys = [...defaultKeymap, ...searchKeymap, ...foldKeymap].filter(({ key }) => key !== 'Mod-Enter');

export const forReading: Extension = [
  EditorState.readOnly.of(true),
  EditorView.contentAttributes.of({ 'aria-readonly': 'true' }),
  keymap.of(keys),
];

export const forWriting: Extension = [
  history(),
  drawSelection(),
  bracketMatching(),
  keymap.of([...historyKeymap, ...keys]),
];
