import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { prettyJson } from '../../../src/values/json-text.ts';
import { inertText } from './inert.ts';
import css from './jsonview.module.css';

const CodeView = lazy(() => import('./editor/CodeView.tsx'));
const CodeDiff = lazy(() => import('./editor/CodeDiff.tsx'));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Formatted JSON with numbers and strings unchanged; any other text unchanged. */
function readable(text: string): string {
  return isJson(text) ? prettyJson(text) : text;
}

function Plain({ text }: { readonly text: string }): ReactNode {
  return <pre className={css.plain}>{inertText(text, 4_000)}</pre>;
}

/** A read-only view of any text, which formats JSON. Fills its container. */
export function JsonView({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const shown = useMemo(() => ({ text: readable(text), json: isJson(text) }), [text]);
  return (
    <Suspense fallback={<Plain text={shown.text} />}>
      <CodeView text={shown.text} label={label} isJson={shown.json} />
    </Suspense>
  );
}

/** A read-only view of text of any length, unchanged. Fills its container. */
export function TextView({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <Suspense fallback={<Plain text={text} />}>
      <CodeView text={text} label={label} isJson={false} />
    </Suspense>
  );
}

/** Two texts side by side. Fills its container. */
export function JsonDiff({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}): ReactNode {
  const [one, two] = useMemo(() => [readable(before), readable(after)], [before, after]);
  return (
    <Suspense fallback={<Plain text={two} />}>
      <CodeDiff before={one} after={two} label={label} />
    </Suspense>
  );
}
