import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type ReactNode, useEffect, useRef } from 'react';
import { asJson, asText, common, forReading } from './setup.ts';
import css from './editor.module.css';

export interface CodeViewProps {
  readonly text: string;
  readonly label: string;
  readonly isJson: boolean;
}

/** A read-only view of text of any length, with folding and search. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first needed.
export default function CodeView({ text, label, isJson }: CodeViewProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = new EditorView({
      parent: host.current!,
      state: EditorState.create({ doc: text, extensions: [common(label), isJson ? asJson : asText, forReading] }),
    });
    return () => view.destroy();
  }, [text, label, isJson]);
  return <div ref={host} className={css.host} />;
}
