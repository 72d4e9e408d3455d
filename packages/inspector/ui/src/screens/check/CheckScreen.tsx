import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { ProblemView, ServerView } from '../../../../src/api/views.ts';
import type { CheckRow } from '../../../../src/rules/finding.ts';
import { useCurrentServer } from '../../app/current-server.ts';
import { useActions } from '../../app/palette-state.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Button, IconButton, Toggle } from '../../parts/Button.tsx';
import { NoServer } from '../../parts/Empty.tsx';
import { useFocusKept } from '../../parts/focus.ts';
import { CloseIcon } from '../../parts/icons.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { Findings, Problem } from '../../parts/Problem.tsx';
import { api } from '../../store/api.ts';
import { useDraft } from '../../store/drafts.ts';
import { useFindings, useReadOnly, useView } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import { saveBaseline } from './baseline.ts';
import { GROUPS, isSessionOf } from './groups.ts';
import { Rows } from './Rows.tsx';
import css from './check.module.css';

interface Baseline {
  readonly name: string;
  readonly text: string;
}

/** A file of the user to compare with. It is read in the page, and only its text is sent. */
function BaselineFile({
  baseline,
  onChange,
}: {
  readonly baseline: Baseline | undefined;
  readonly onChange: (baseline: Baseline | undefined) => void;
}): ReactNode {
  return baseline === undefined ? (
    <label className={css.file}>
      <input
        type="file"
        accept="application/json,.json"
        aria-label="Compare with a baseline"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file !== undefined) void file.text().then((text) => onChange({ name: file.name, text }));
        }}
      />
      <span aria-hidden="true">Compare with a baseline …</span>
    </label>
  ) : (
    <span className={css.chosen}>
      compared with <Inert text={baseline.name} most={60} />
      <IconButton data-baseline label="Remove the baseline" small onPress={() => onChange(undefined)}>
        <CloseIcon size={12} />
      </IconButton>
    </span>
  );
}

/** The rows of the last check, kept across reloads. */
function useRowsKept(
  server: ServerView,
): readonly [readonly CheckRow[] | undefined, (rows: readonly CheckRow[]) => void] {
  const began = useView()?.trace.began ?? '';
  const [text, setText] = useDraft(`check ${began} ${server.id}`, '');
  const rows = useMemo(() => (text === '' ? undefined : (JSON.parse(text) as readonly CheckRow[])), [text]);
  return [rows, (next) => setText(JSON.stringify(next))];
}

/** Whether a check was started and has not ended. Kept when the screen is left, which aborts the check. */
function useBegun(server: ServerView): readonly [boolean, (begun: boolean) => void] {
  const began = useView()?.trace.began ?? '';
  const [begun, setBegun] = useDraft(`check begun ${began} ${server.id}`, 'no');
  return [begun === 'yes', (next) => setBegun(next ? 'yes' : undefined)];
}

type Group = CheckRow['group'];

function Groups({
  chosen,
  onChange,
}: {
  readonly chosen: ReadonlySet<Group>;
  readonly onChange: (chosen: ReadonlySet<Group>) => void;
}): ReactNode {
  return (
    <div className={css.groups} role="group" aria-label="Checks to run">
      {GROUPS.map(({ id, label }) => (
        <Toggle
          key={id}
          isSelected={chosen.has(id)}
          onChange={(on) => onChange(new Set(on ? [...chosen, id] : [...chosen].filter((one) => one !== id)))}
        >
          {label}
        </Toggle>
      ))}
    </div>
  );
}

interface Check {
  readonly rows: readonly CheckRow[] | undefined;
  readonly running: boolean;
  /** A check was started and has not ended. */
  readonly begun: boolean;
  readonly problem: ProblemView | undefined;
  run(): void;
  stop(): void;
}

/** Checks a server, and keeps the rows of the last check. */
function useCheck(server: ServerView, groups: readonly Group[], baseline: Baseline | undefined): Check {
  const [rows, setRows] = useRowsKept(server);
  const [begun, setBegun] = useBegun(server);
  const { run, stop, running, problem } = useTask(async (signal) => {
    setBegun(true);
    const body = { server: server.id, groups, baseline: baseline?.text };
    try {
      setRows((await api.checks({ body, signal })).rows);
    } finally {
      if (!signal.aborted) setBegun(false);
    }
  });
  return { rows, running, begun, problem, run, stop };
}

/** The progress of the check, and the rows of the last one. */
function Progress({ rows, running, begun, problem }: Check): ReactNode {
  const isOld = running || begun || problem !== undefined;
  return (
    <>
      {running && (
        <p className={css.dim} role="status">
          Checking, on connections of its own …
        </p>
      )}
      {problem !== undefined && <Problem problem={problem} />}
      {!running && begun && (
        <p className={css.dim} role="status">
          The last check did not finish: it was stopped, or its screen was left.
        </p>
      )}
      {rows !== undefined && isOld && <p className={css.dim}>These are the rows of the previous check.</p>}
      {rows !== undefined && <Rows rows={rows} />}
    </>
  );
}

function Checking({ server }: { readonly server: ServerView }): ReactNode {
  const [groups, setGroups] = useState<ReadonlySet<Group>>(new Set(['lint', 'wire', 'era']));
  const [baseline, setBaseline] = useState<Baseline>();
  const wanted: readonly Group[] = baseline === undefined ? [...groups] : [...groups, 'baseline'];
  const check = useCheck(server, wanted, baseline);
  const { run, stop, running } = check;
  const acts = useRef<HTMLDivElement>(null);
  useFocusKept(acts, 'input[type=file], [data-baseline]');
  const unable = wanted.length === 0;
  useActions(
    useMemo(
      () => (running || unable ? [] : [{ id: 'check', title: 'Check the server', run: () => run() }]),
      [running, unable, run],
    ),
  );
  return (
    <>
      <div ref={acts} className={css.acts}>
        <Groups chosen={groups} onChange={setGroups} />
        <BaselineFile baseline={baseline} onChange={setBaseline} />
        {running ? (
          <Button look="danger" onPress={stop}>
            Stop
          </Button>
        ) : (
          <Button look="primary" isDisabled={unable} onPress={() => run()}>
            Check
          </Button>
        )}
      </div>
      <Progress {...check} />
    </>
  );
}

/** Saves the current surface of the server as a file for later comparison. */
function SaveBaseline({ server }: { readonly server: ServerView }): ReactNode {
  const saving = useTask((signal) => saveBaseline(server, signal));
  return (
    <>
      <Button
        look="quiet"
        small
        isDisabled={server.status !== 'ready'}
        isBusy={saving.running}
        onPress={() => saving.run()}
      >
        Save as a baseline
      </Button>
      {saving.problem !== undefined && <Problem problem={saving.problem} />}
    </>
  );
}

/** The findings in the trace so far, about this server. */
function Seen({ server }: { readonly server: ServerView | undefined }): ReactNode {
  const all = useFindings();
  const seen = all.filter(({ session }) => server === undefined || isSessionOf(session, server.id));
  return (
    <section aria-labelledby="seen" className={css.seen}>
      <h2 id="seen" className={css.heading}>
        Seen so far on the wire
        {seen.length > 0 && <Badge tone="plain">{seen.length}</Badge>}
      </h2>
      {seen.length === 0 ? <p className={css.dim}>No rule was broken.</p> : <Findings findings={seen} />}
    </section>
  );
}

/** Checks of a server, the same as on the command line. They run on connections of their own. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first shown.
export default function CheckScreen(): ReactNode {
  const server = useCurrentServer();
  const readOnly = useReadOnly();
  return (
    <div className={css.screen}>
      <header className={css.head}>
        <h1 className={css.title}>
          Check
          {server !== undefined && (
            <span className={css.of}>
              <Inert text={server.name} most={60} />
            </span>
          )}
        </h1>
        {!readOnly && server !== undefined && <SaveBaseline key={server.id} server={server} />}
      </header>
      {!readOnly && server === undefined && <NoServer />}
      {!readOnly && server !== undefined && <Checking key={server.id} server={server} />}
      {(readOnly || server !== undefined) && <Seen server={server} />}
    </div>
  );
}
