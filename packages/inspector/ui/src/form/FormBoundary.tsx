import { Component, type ReactNode } from 'react';
import { inertText } from '../parts/inert.ts';
import css from './form.module.css';

interface Props {
  /** Shown in place of a form that fails. */
  readonly instead: ReactNode;
  readonly children: ReactNode;
}

/** Replaces a form that fails by another editor, and says why. */
export class FormBoundary extends Component<Props, { readonly why: string | undefined }> {
  override state: { readonly why: string | undefined } = { why: undefined };

  static getDerivedStateFromError(error: unknown): { readonly why: string } {
    return { why: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { why } = this.state;
    if (why === undefined) return this.props.children;
    return (
      <>
        <p className={css.why} role="status">
          There is no form for this, so it is edited as JSON. {inertText(why, 300)}
        </p>
        {this.props.instead}
      </>
    );
  }
}
