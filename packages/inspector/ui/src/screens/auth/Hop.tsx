import { type ReactNode, useEffect, useState } from 'react';
import type { AuthHop, CutLine } from '../../../../src/api/views.ts';
import { prettyJson } from '../../../../src/values/json-text.ts';
import { Badge, type Tone } from '../../parts/Badge.tsx';
import { Button } from '../../parts/Button.tsx';
import { classes } from '../../parts/classes.ts';
import { Evidence } from '../../parts/Evidence.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { duration } from '../../parts/numbers.ts';
import { api } from '../../store/api.ts';
import css from './auth.module.css';

const TONES: Readonly<Record<AuthHop['status'], Tone>> = { paused: 'warn', running: 'info', pass: 'ok', fail: 'bad' };

/** Formatted JSON; for a form, one parameter per line. */
function readable(body: string, from: CutLine['from']): string {
  if (from === 'client' && !body.startsWith('{')) return body.split('&').map(decoded).join('\n');
  try {
    JSON.parse(body);
    return prettyJson(body);
  } catch {
    return body;
  }
}

function decoded(pair: string): string {
  try {
    return decodeURIComponent(pair.replaceAll('+', ' '));
  } catch {
    return pair;
  }
}

function Part({ line }: { readonly line: CutLine }): ReactNode {
  return (
    <div className={css.part}>
      <h3 className={css.label}>{line.from === 'client' ? 'Asked' : 'Answered'}</h3>
      <Inert text={line.text} mono block most={500} />
      {line.http?.body !== undefined && line.http.body !== '' && (
        <div className={css.body}>
          <Inert text={readable(line.http.body, line.from)} mono block most={4_000} />
        </div>
      )}
    </div>
  );
}

/** The lines of a hop, from the trace. */
function Wire({ lines: wanted }: { readonly lines: readonly number[] }): ReactNode {
  const [lines, setLines] = useState<readonly CutLine[]>([]);
  const n = wanted.join(',');
  useEffect(() => {
    const stop = new AbortController();
    api
      .lines({ query: { n: n.split(',').map(Number) }, signal: stop.signal })
      .then((answer) => setLines(answer.lines))
      .catch(() => undefined);
    return () => stop.abort();
  }, [n]);
  return (
    <div className={css.wire}>
      {lines.map((line) => (
        <Part key={line.n} line={line} />
      ))}
    </div>
  );
}

/** One hop: its request, its section of the specification, and its outcome. */
export function Hop({ hop, onRelease }: { readonly hop: AuthHop; readonly onRelease: () => void }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <li className={classes(css.hop, css[hop.status])}>
      <div className={css.head}>
        <Badge tone={TONES[hop.status]}>{hop.status}</Badge>
        <h2 className={css.name}>{hop.title}</h2>
        {hop.httpStatus !== undefined && <span className={css.dim}>HTTP {hop.httpStatus}</span>}
        {hop.ms !== undefined && <span className={css.dim}>{duration(hop.ms)}</span>}
        <Evidence lines={hop.evidence} />
        <span className={css.gap} />
        {hop.clause !== undefined && <span className={css.dim}>{hop.clause}</span>}
      </div>
      {hop.url !== '' && (
        <p className={css.where}>
          {hop.method} <Inert text={hop.url} mono most={300} />
        </p>
      )}
      {hop.verdict !== undefined && (
        <div className={css.verdict}>
          <Inert text={hop.verdict} block most={600} />
        </div>
      )}
      {hop.status === 'paused' && (
        <p>
          <Button small look="primary" autoFocus onPress={onRelease}>
            Continue
          </Button>
        </p>
      )}
      {hop.evidence.length > 0 && (
        <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className={css.summary}>Request and answer</summary>
          {open && <Wire lines={hop.evidence} />}
        </details>
      )}
    </li>
  );
}
