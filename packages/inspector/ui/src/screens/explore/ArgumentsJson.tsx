import { type ReactNode, useEffect, useState } from 'react';
import { JsonEditor } from '../../parts/JsonEditor.tsx';
import css from './request.module.css';

export interface ArgumentsProps {
  /** The schema: JSON as the server sent it. */
  readonly schema: string;
  readonly args: string;
  readonly onArgs: (text: string) => void;
}

type Check = (text: string) => readonly string[];

/** The validator of a schema, loaded with the schema library. Undefined: not loaded yet, or the schema is unusable. */
function useCheck(schema: string): Check | undefined {
  const [check, setCheck] = useState<Check>();
  useEffect(() => {
    let there = true;
    import('../../form/json-check.ts')
      .then(({ createJsonCheck }) => createJsonCheck(schema))
      .then((made) => {
        if (there) setCheck(() => made);
      })
      .catch(() => undefined);
    return () => {
      there = false;
    };
  }, [schema]);
  return check;
}

/** The arguments as JSON. They are sent as typed, except for spaces; issues are only shown. */
export function ArgumentsJson({ schema, args, onArgs }: ArgumentsProps): ReactNode {
  const check = useCheck(schema);
  const issues = check?.(args) ?? [];
  return (
    <div className={css.frame}>
      <div className={css.editor}>
        <JsonEditor value={args} label="Arguments, JSON" onChange={onArgs} />
      </div>
      {issues.length > 0 && (
        <ul className={css.issues} aria-label="Schema issues">
          {issues.map((issue) => (
            <li key={issue}>{issue}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
