import type { ReactNode } from 'react';
import type { TraceLine } from '../../../src/trace/line.ts';
import { Evidence } from './Evidence.tsx';
import { Inert } from './Inert.tsx';
import { duration } from './numbers.ts';
import css from './linefacts.module.css';

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> }): ReactNode {
  return (
    <ul className={css.headers}>
      {Object.entries(headers).map(([name, value]) => (
        <li key={name}>
          <Inert text={name} mono />: <Inert text={value} mono most={500} />
        </li>
      ))}
    </ul>
  );
}

/** The facts about a line, without its text. */
export function LineFacts({ line }: { readonly line: TraceLine }): ReactNode {
  const { http, about } = line;
  return (
    <dl className={css.facts}>
      <Row name="What">
        {line.kind}
        {line.from !== undefined && ` from the ${line.from}`}
        {line.redacted === true && ', secrets removed'}
      </Row>
      <Row name="When">{duration(line.at)} after the trace began</Row>
      <Row name="Session">
        <Inert text={line.session} mono />
      </Row>
      {line.cause !== undefined && (
        <Row name="Cause">
          <Evidence lines={[line.cause]} />
        </Row>
      )}
      {about !== undefined && (
        <Row name="Between">
          {about.recorder} and <Inert text={about.name} /> ({about.transport}: <Inert text={about.target} mono />)
        </Row>
      )}
      {http !== undefined && (
        <Row name="HTTP">
          exchange {http.exchange}, {http.part}
          {http.method !== undefined && ` ${http.method}`}
          {http.status !== undefined && ` ${http.status}`} {http.url !== undefined && <Inert text={http.url} mono />}
          {http.headers !== undefined && <Headers headers={http.headers} />}
          {http.body !== undefined && <Inert text={http.body} mono block />}
        </Row>
      )}
    </dl>
  );
}
