import { lazy, type ReactNode, Suspense } from 'react';
import { FormBoundary } from '../../form/FormBoundary.tsx';
import { ArgumentsJson, type ArgumentsProps } from './ArgumentsJson.tsx';
import css from './request.module.css';

const SchemaForm = lazy(() => import('../../form/SchemaForm.tsx'));

/** The arguments of a tool as a form, or as JSON if there can be no form. */
export function ArgumentsForm({ schema, args, onArgs }: ArgumentsProps): ReactNode {
  return (
    <FormBoundary instead={<ArgumentsJson schema={schema} args={args} onArgs={onArgs} />}>
      <Suspense
        fallback={
          <p className={css.note} aria-busy="true">
            Loading the form …
          </p>
        }
      >
        <div className={css.padded}>
          <SchemaForm schema={schema} value={args} onChange={onArgs} />
        </div>
      </Suspense>
    </FormBoundary>
  );
}
