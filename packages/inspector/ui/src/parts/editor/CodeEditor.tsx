import { lintGutter, linter, type Diagnostic } from '@codemirror/lint';
import { jsonParseLinter } from '@codemirror/lang-json';
import { Annotation, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type ReactNode, useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { asJson, common, forWriting } from './setup.ts';
import css from './editor.module.css';

export interface CodeEditorProps {
  readonly value: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
  /** Returns further problems of a valid JSON text. */
  readonly check?: ((text: string) => readonly string[]) | undefined;
  readonly autoFocus?: boolean;
}

/** Marks a change that was set from outside, not typed. */
const given = Annotation.define<boolean>();

const parse = jsonParseLinter();

function diagnose(view: EditorView, check: CodeEditorProps['check']): Diagnostic[] {
  const text = view.state.doc.toString();
  if (text.trim() === '') return [];
  const broken = parse(view);
  if (broken.length > 0) return broken.map((one) => ({ ...one, message: `This is not JSON: ${one.message}` }));
  return (check?.(text) ?? []).map((message) => ({ from: 0, to: 0, severity: 'warning', message }));
}

/** An editor for JSON with its problems. The text is passed on exactly as typed. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first needed.
export default function CodeEditor({ value, label, onChange, check, autoFocus = false }: CodeEditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const latest = useRef({ onChange, check });
  useEffect(() => {
    latest.current = { onChange, check };
  });

  useEffect(() => {
    const view = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          common(label),
          asJson,
          forWriting,
          lintGutter(),
          linter((shown) => diagnose(shown, latest.current.check), { delay: 200 }),
          EditorView.updateListener.of((update) => {
            const isOwn = update.transactions.some((transaction) => transaction.annotation(given) === true);
            if (!update.docChanged || isOwn) return;
            // Synchronously: a following key press must send this text, and an older text must not return to the editor.
            flushSync(() => latest.current.onChange(update.state.doc.toString()));
          }),
        ],
      }),
    });
    editor.current = view;
    if (autoFocus) view.focus();
    return () => view.destroy();
    // The editor exists as long as its element; a new value is set below.
  }, [label]);

  useEffect(() => {
    const view = editor.current;
    if (view === undefined || view.state.doc.toString() === value) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value }, annotations: given.of(true) });
  }, [value]);

  return <div ref={host} className={css.host} />;
}
