import { lazy, type ReactNode, Suspense } from 'react';
import type { CodeEditorProps } from './editor/CodeEditor.tsx';
import css from './jsonview.module.css';

const CodeEditor = lazy(() => import('./editor/CodeEditor.tsx'));

/** JSON to write. Fills its place. Until the editor is loaded, a plain field takes the typing. */
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
