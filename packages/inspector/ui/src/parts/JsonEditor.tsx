import { lazy, type ReactNode, Suspense } from 'react';
import type { CodeEditorProps } from './editor/CodeEditor.tsx';
import css from './jsonview.module.css';

const CodeEditor = lazy(() => import('./editor/CodeEditor.tsx'));

/** An editor for JSON, which fills its container. Until it is loaded, a plain text field takes its place. */
export function JsonEditor(props: CodeEditorProps): ReactNode {
  return (
    <Suspense
      fallback={
        <textarea
          className={css.plain}
          aria-label={props.label}
          value={props.value}
          spellCheck={false}
          onChange={(event) => props.onChange(event.target.value)}
        />
      }
    >
      <CodeEditor {...props} />
    </Suspense>
  );
}
