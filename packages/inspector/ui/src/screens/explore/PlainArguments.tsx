import { type ReactNode, useMemo } from 'react';
import type { ServerView } from '../../../../src/api/views.ts';
import { Inert } from '../../parts/Inert.tsx';
import type { Offer } from '../../store/lists.ts';
import { ArgumentCombo } from './ArgumentCombo.tsx';
import { argumentsText, argumentValues } from './request-of.ts';
import { templateOf } from './template-uri.ts';
import css from './request.module.css';

interface PlainArgumentsProps {
  readonly offer: Offer;
  readonly server: ServerView;
  /** Text that may or may not be JSON. */
  readonly args: string;
  /** For a template: the URI. */
  readonly uri: string | undefined;
  readonly onArgs: (text: string) => void;
}

interface Argument {
  readonly name: string;
  readonly description: string | undefined;
  readonly required: boolean;
}

function promptArguments(text: string): readonly Argument[] {
  const { arguments: all } = JSON.parse(text) as { arguments?: unknown };
  if (!Array.isArray(all)) return [];
  return all.flatMap((one: unknown) => {
    if (typeof one !== 'object' || one === null) return [];
    const { name, description, required } = one as Record<string, unknown>;
    if (typeof name !== 'string') return [];
    return [
      { name, description: typeof description === 'string' ? description : undefined, required: required === true },
    ];
  });
}

/** The text arguments of a prompt or a template. */
export function PlainArguments({ offer, server, args, uri, onArgs }: PlainArgumentsProps): ReactNode {
  const wanted = useMemo(() => {
    if (offer.kind === 'prompts') return promptArguments(offer.text);
    const template = templateOf(offer.id);
    return template?.variables.map((name) => ({ name, description: undefined, required: false }));
  }, [offer]);
  const values = argumentValues(args);
  const set = (name: string, value: string): void => {
    const next = new Map(values);
    if (value === '') next.delete(name);
    else next.set(name, value);
    onArgs(argumentsText(next));
  };
  if (wanted === undefined)
    return <p className={css.note}>This is not a valid URI template (RFC 6570), so it can’t be filled in.</p>;
  return (
    <div className={css.fields}>
      {wanted.length === 0 && <p className={css.about}>It takes no arguments.</p>}
      {wanted.map(({ name, description, required }) => (
        <ArgumentCombo
          key={name}
          name={name}
          description={description}
          required={required}
          value={values.get(name) ?? ''}
          onChange={(value) => set(name, value)}
          server={server}
          target={offer.kind === 'prompts' ? { prompt: offer.id } : { template: offer.id }}
          others={values}
        />
      ))}
      {offer.kind === 'templates' && (
        <dl className={css.uri}>
          <dt>URI</dt>
          <dd>{uri === undefined ? 'These values do not fit the template.' : <Inert text={uri} mono most={600} />}</dd>
        </dl>
      )}
    </div>
  );
}
