import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useState } from 'react';
import type { Lane, LanesAnswer, Span } from '../../../../src/api/views.ts';
import { IconButton } from '../../parts/Button.tsx';
import { classes } from '../../parts/classes.ts';
import { inertText } from '../../parts/inert.ts';
import { count, duration } from '../../parts/numbers.ts';
import { setQuery } from '../../route/use-route.ts';
import { api } from '../../store/api.ts';
import { traceLength } from '../../store/model.ts';
import { type PlacedSpan, placeSpans } from './lane-rows.ts';
import css from './lanes.module.css';

interface Part {
  readonly from: number;
  /** Undefined: up to now. */
  readonly to: number | undefined;
}

const WHOLE: Part = { from: 0, to: undefined };
const BUCKETS = 240;
const EVERY_MS = 500;
const ROW_HEIGHT = 16;
/** The height of the counts above the requests, in pixels. */
const COUNTS_HEIGHT = 14;
const STEP = 0.25;

/** The finest zoom is a microsecond. */
function part(from: number, to: number): Part {
  return {
    from: Math.round(from * 1e3) / 1e3,
    to: Math.round(to * 1e3) / 1e3,
  };
}

/** A range zoomed around its middle. */
function zoomed({ from, to }: { from: number; to: number }, by: number): Part {
  const half = ((to - from) / 2) * by;
  const middle = (from + to) / 2;
  return part(Math.max(0, middle - half), Math.max(middle + half, 1));
}

function moved({ from, to }: { from: number; to: number }, by: number): Part {
  const step = Math.max(-from, (to - from) * by);
  return part(from + step, to + step);
}

/** The lanes of a range. While the trace grows they are loaded again, one request at a time. */
function useLanes({ from, to }: Part): LanesAnswer | undefined {
  const [lanes, setLanes] = useState<LanesAnswer>();
  useEffect(() => {
    const stop = new AbortController();
    let timer: number | undefined;
    let asked = -1;
    const look = async (): Promise<void> => {
      const length = traceLength.get();
      if (length !== asked) {
        asked = length;
        const query = { from, to, buckets: BUCKETS };
        const answer = await api.lanes({ query, signal: stop.signal }).catch(() => undefined);
        if (stop.signal.aborted) return;
        if (answer !== undefined) setLanes(answer);
      }
      timer = window.setTimeout(() => void look(), EVERY_MS);
    };
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [from, to]);
  return lanes;
}

const BAD: ReadonlySet<string> = new Set(['error', 'tool-error', 'lost']);
const OPEN: ReadonlySet<string> = new Set(['pending', 'cancelled', 'timeout']);
function toneOfOutcome(outcome: string): string {
  return BAD.has(outcome) ? 'bad' : OPEN.has(outcome) ? 'warn' : 'good';
}

function toneOf({ outcome, method }: Span): string {
  // A subscription is answered only when it ends.
  const goesOn = outcome === 'task' || (outcome === 'pending' && method === 'subscriptions/listen');
  return goesOn ? 'info' : toneOfOutcome(outcome);
}

/** A bar for the duration of a request. */
function Bar({ placed, chosen }: { readonly placed: PlacedSpan; readonly chosen: boolean }): ReactNode {
  const { span, row, left, width } = placed;
  const name = span.subject === undefined ? span.method : `${span.method} ${span.subject}`;
  const label = inertText(`${name}: ${span.outcome}${span.ms === undefined ? '' : `, ${duration(span.ms)}`}`, 200);
  return (
    <button
      type="button"
      // With the keyboard, requests are reached through the rows of the trace.
      tabIndex={-1}
      className={classes(css.bar, css[toneOf(span)], span.from === 'server' && css.back, chosen && css.chosen)}
      style={{ left: `${left * 100}%`, width: `${width * 100}%`, top: COUNTS_HEIGHT + row * ROW_HEIGHT }}
      title={label}
      aria-label={label}
      onClick={() => setQuery({ line: String(span.n) }, true)}
    >
      {/* A label that does not fit is not rendered. */}
      <span className={css.label}>{inertText(span.subject ?? span.method, 40)}</span>
    </button>
  );
}

function LaneRow({
  lane,
  from,
  to,
  line,
}: {
  readonly lane: Lane;
  readonly from: number;
  readonly to: number;
  readonly line: number | undefined;
}): ReactNode {
  const most = Math.max(1, ...lane.counts);
  const bars = lane.counts
    .map((many, at) => (many === 0 ? '' : `M${at} 12V${12 - Math.max(2, (many / most) * 11)}`))
    .join('');
  const { placed, rows } = useMemo(() => placeSpans(lane.spans, from, to), [lane.spans, from, to]);
  return (
    <div className={css.lane}>
      <div className={css.about}>
        <span className={css.name} title={inertText(lane.name, 200)}>
          {inertText(lane.session === '' ? lane.name : lane.session, 40)}
        </span>
        {lane.requests > lane.spans.length && (
          <span
            className={css.some}
            title="Only the longest requests of each period are shown. Zoom in to see the others."
          >
            {count(lane.spans.length)} of {count(lane.requests)} drawn
          </span>
        )}
      </div>
      <div className={css.track} style={{ height: COUNTS_HEIGHT + rows * ROW_HEIGHT + 2 }}>
        <svg
          className={css.counts}
          viewBox={`0 0 ${lane.counts.length} 12`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={bars} vectorEffect="non-scaling-stroke" />
        </svg>
        {placed.map((one) => (
          <Bar key={one.span.n} placed={one} chosen={one.span.n === line} />
        ))}
      </div>
    </div>
  );
}

/** The activity of each session over time, which can be zoomed. */
export function Lanes({ line }: { readonly line: number | undefined }): ReactNode {
  const [wanted, setWanted] = useState(WHOLE);
  const lanes = useLanes(wanted);
  if (lanes === undefined) return null;
  const { from, to } = lanes;
  // Key presses may be faster than answers, so the next step starts from the requested range.
  const asked = { from: wanted.from, to: wanted.to ?? to };
  const act = (key: string): Part | undefined => {
    if (key === '+' || key === '=') return zoomed(asked, 1 / 2);
    if (key === '-') return zoomed(asked, 2);
    if (key === 'ArrowLeft') return moved(asked, -STEP);
    if (key === 'ArrowRight') return moved(asked, STEP);
    return key === '0' ? WHOLE : undefined;
  };
  const pressed = (event: KeyboardEvent): void => {
    const next = event.ctrlKey || event.metaKey || event.altKey ? undefined : act(event.key);
    if (next === undefined) return;
    event.preventDefault();
    setWanted(next);
  };
  return (
    <section
      className={css.lanes}
      aria-label="Lanes: plus and minus zoom, the arrows move, 0 shows all"
      tabIndex={0}
      onKeyDown={pressed}
    >
      <div className={css.head}>
        <span>{duration(from)}</span>
        <span className={css.acts}>
          {(
            [
              ['Zoom in', '+'],
              ['Zoom out', '-'],
              ['Earlier', 'ArrowLeft'],
              ['Later', 'ArrowRight'],
              ['All', '0'],
            ] as const
          ).map(([label, key]) => (
            <IconButton key={key} label={label} small onPress={() => setWanted(act(key)!)}>
              {{ '+': '+', '-': '−', ArrowLeft: '‹', ArrowRight: '›', '0': '⤢' }[key]}
            </IconButton>
          ))}
        </span>
        <span>{duration(to)}</span>
      </div>
      <div className={css.all}>
        {lanes.lanes.map((lane) => (
          <LaneRow key={lane.session} lane={lane} from={from} to={to} line={line} />
        ))}
      </div>
    </section>
  );
}
