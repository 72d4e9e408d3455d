import type { ReactNode } from 'react';

/** Stands in the place of a renderer of Markdown: what servers write is shown as it is written. */
export const Markdown = ({ children }: { readonly children?: ReactNode }): ReactNode => <>{children}</>;
