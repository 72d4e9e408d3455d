import { Component, type ErrorInfo, type ReactNode } from 'react';
import { Button } from '../parts/Button.tsx';
import { Inert } from '../parts/Inert.tsx';
import css from './boundary.module.css';

interface Props {
  /** The name of the part that failed. */
  readonly what: string;
  readonly children: ReactNode;
}

/** A part of the page that fails does not affect the others, and shows its error. */
export class Boundary extends Component<Props, { readonly error: Error | undefined }> {
  override state: { readonly error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { readonly error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    // Reported, because nothing else shows the component stack.
    reportError(new Error(`${this.props.what}: ${error.message}${info.componentStack ?? ''}`, { cause: error }));
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className={css.failed} role="alert">
        <h1>{this.props.what} failed</h1>
        <p>
          This is a fault of the inspector itself, not of a server. What was recorded is in the trace, and nothing of it
          is lost.
        </p>
        <Inert text={error.message} mono block />
        <Button onPress={() => this.setState({ error: undefined })}>Try again</Button>
      </div>
    );
  }
}
