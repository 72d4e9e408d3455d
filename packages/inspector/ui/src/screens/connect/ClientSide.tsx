import { type ReactNode, useRef, useState } from 'react';
import { LOG_LEVELS } from '../../../../src/api/routes.ts';
import type { ServerView } from '../../../../src/api/views.ts';
import { Button, Toggle } from '../../parts/Button.tsx';
import { Choice } from '../../parts/Choice.tsx';
import { useFocusKept } from '../../parts/focus.ts';
import { Problem } from '../../parts/Problem.tsx';
import field from '../../parts/field.module.css';
import { api } from '../../store/api.ts';
import { useFollowing } from '../../store/drafts.ts';
import { useTask } from '../../store/use-task.ts';
import css from './client-side.module.css';

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

type Level = (typeof LOG_LEVELS)[number];

function LogLevel({
  level,
  onChange,
}: {
  readonly level: Level | undefined;
  readonly onChange: (level: Level) => void;
}): ReactNode {
  return (
    <Choice
      label="Log level"
      placeholder="Log level: not set"
      value={level}
      options={LOG_LEVELS.map((id) => ({ id, label: `Log level: ${id}` }))}
      onChange={onChange}
    />
  );
}

/** The client settings that a server sees: its roots, and the requested log level. */
export function ClientSide({ server }: { readonly server: ServerView }): ReactNode {
  const kept = (server.roots ?? []).join('\n');
  const [roots, setRoots] = useFollowing(`roots ${server.id}`, kept);
  const [wasOpen] = useState(roots !== kept);
  const side = useRef<HTMLDetailsElement>(null);
  useFocusKept(side, 'textarea');
  const isReady = server.status === 'ready';
  const parts = { id: server.id };
  const setting = useTask((signal, send: (signal: AbortSignal) => Promise<void>) => send(signal));
  const setRootsOf = (roots: readonly string[], ask = server.asksRoots ?? false): void =>
    setting.run((signal) => api.roots({ parts, body: { roots, ask }, signal }));
  const lines = linesOf(roots);
  return (
    <details ref={side} className={css.side} open={wasOpen}>
      <summary>Client settings</summary>
      <label className={css.label}>
        Roots: one folder per line, as file:// URIs
        <textarea
          className={`${field.input} ${field.area}`}
          rows={2}
          spellCheck={false}
          placeholder="file:///home/ann/work"
          value={roots}
          onChange={(event) => setRoots(event.target.value)}
        />
      </label>
      <div className={css.acts}>
        <Button
          small
          isDisabled={!isReady || lines.join('\n') === kept}
          isBusy={setting.running}
          onPress={() => {
            setRoots(lines.join('\n'));
            setRootsOf(lines);
          }}
        >
          Send these roots
        </Button>
        <Toggle
          small
          isSelected={server.asksRoots ?? false}
          isDisabled={!isReady}
          onChange={(ask) => setRootsOf(server.roots ?? [], ask)}
        >
          Ask me each time
        </Toggle>
        {server.capabilities?.['logging'] !== undefined && (
          <LogLevel
            level={LOG_LEVELS.find((level) => level === server.logLevel)}
            onChange={(level) => setting.run((signal) => api.logLevel({ parts, body: { level }, signal }))}
          />
        )}
      </div>
      {setting.problem !== undefined && <Problem problem={setting.problem} />}
    </details>
  );
}
