import { MergeView } from '@codemirror/merge';
import { type ReactNode, useEffect, useRef } from 'react';
import { asJson, common, forReading } from './setup.ts';
import css from './editor.module.css';

export interface CodeDiffProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

/** Two texts side by side, with differences marked and equal parts folded. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first needed.
export default function CodeDiff({ before, after, label }: CodeDiffProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = new MergeView({
      parent: host.current!,
      a: { doc: before, extensions: [common(`${label}: before`), asJson, forReading] },
      b: { doc: after, extensions: [common(`${label}: now`), asJson, forReading] },
      collapseUnchanged: { margin: 2, minSize: 6 },
      gutter: false,
      // Longer differences are compared less precisely, so that a large result cannot block the page.
      diffConfig: { scanLimit: 500, timeout: 80 },
    });
    return () => view.destroy();
  }, [before, after, label]);
  return <div ref={host} className={css.diff} />;
}
