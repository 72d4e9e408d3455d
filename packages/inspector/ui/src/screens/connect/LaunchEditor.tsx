import { type ReactNode, useId, useRef, useState } from 'react';
import type { LaunchParts, ServerView, TargetAnswer } from '../../../../src/api/views.ts';
import { isSecretVariable } from '../../../../src/record/secret-names.ts';
import { Button, IconButton } from '../../parts/Button.tsx';
import { classes } from '../../parts/classes.ts';
import { useFocusKept } from '../../parts/focus.ts';
import { MinusIcon, PlusIcon } from '../../parts/icons.tsx';
import { inertText } from '../../parts/inert.ts';
import { Problem } from '../../parts/Problem.tsx';
import field from '../../parts/field.module.css';
import { api } from '../../store/api.ts';
import { useTask } from '../../store/use-task.ts';
import {
  type ArgumentDraft,
  bodyOf,
  draftOf,
  type LaunchDraft,
  type VariableDraft,
  withArgument,
  withCommand,
  withFolder,
  withNewArgument,
  withNewVariable,
  withoutRow,
  withVariable,
} from './launch-draft.ts';
import { AddedAnswer } from './AddServers.tsx';
import side from './client-side.module.css';
import css from './launch.module.css';

type Change = (change: (draft: LaunchDraft) => LaunchDraft) => void;

function Argument({
  arg,
  at,
  onChange,
}: {
  readonly arg: ArgumentDraft;
  readonly at: number;
  readonly onChange: Change;
}): ReactNode {
  return (
    <li className={css.row}>
      <input
        className={field.input}
        aria-label={`Argument ${at + 1}`}
        autoComplete="off"
        spellCheck={false}
        placeholder={arg.secret ? `${inertText(arg.text, 60)}: unchanged` : 'empty text'}
        value={arg.secret ? '' : arg.text}
        onChange={({ target }) => onChange((draft) => withArgument(draft, arg.key, target.value))}
      />
      <IconButton label={`Remove argument ${at + 1}`} onPress={() => onChange((draft) => withoutRow(draft, arg.key))}>
        <MinusIcon size={12} />
      </IconButton>
    </li>
  );
}

/** The program, and the folder in which it runs. */
function ProgramAndFolder({ draft, onChange }: { readonly draft: LaunchDraft; readonly onChange: Change }): ReactNode {
  const { command, cwd } = draft;
  const id = useId();
  return (
    <section aria-label="Program and folder" className={css.program}>
      <div className={css.group}>
        <label className={css.heading} htmlFor={`${id}program`}>
          Program
        </label>
        <input
          className={classes(field.input, css.whole)}
          id={`${id}program`}
          autoComplete="off"
          spellCheck={false}
          placeholder={command.secret ? `${inertText(command.text, 60)}: unchanged` : 'node, npx, uvx, a path'}
          value={command.secret ? '' : command.text}
          onChange={({ target }) => onChange((before) => withCommand(before, target.value))}
        />
      </div>
      <div className={css.group}>
        <label className={css.heading} htmlFor={`${id}folder`}>
          Folder
        </label>
        <input
          className={classes(field.input, css.whole)}
          id={`${id}folder`}
          autoComplete="off"
          spellCheck={false}
          placeholder="the folder of the terminal"
          value={cwd}
          onChange={({ target }) => onChange((before) => withFolder(before, target.value))}
        />
      </div>
    </section>
  );
}

const KEPT = { secret: 'secret: unchanged', inherited: 'inherited from the terminal' } as const;

function Variable({ variable, onChange }: { readonly variable: VariableDraft; readonly onChange: Change }): ReactNode {
  const { key, name, value, kept, known } = variable;
  const called = name === '' ? 'the new variable' : inertText(name, 60);
  return (
    <li className={css.row}>
      <input
        className={field.input}
        aria-label={`Name of ${called}`}
        autoComplete="off"
        spellCheck={false}
        placeholder="NAME"
        value={name}
        readOnly={known}
        onChange={({ target }) => onChange((draft) => withVariable(draft, key, { name: target.value }))}
      />
      <input
        className={field.input}
        // Hidden while typing, like a password.
        type={isSecretVariable(name) ? 'password' : 'text'}
        aria-label={`Value of ${called}`}
        autoComplete="off"
        spellCheck={false}
        placeholder={kept === undefined ? 'empty text' : KEPT[kept]}
        value={value}
        onChange={({ target }) => onChange((draft) => withVariable(draft, key, { value: target.value }))}
      />
      <IconButton label={`Remove ${called}`} onPress={() => onChange((draft) => withoutRow(draft, key))}>
        <MinusIcon size={12} />
      </IconButton>
    </li>
  );
}

function Editor({ server, parts }: { readonly server: ServerView; readonly parts: LaunchParts }): ReactNode {
  const first = useRef(draftOf(parts)).current;
  // Not kept in the session storage, because the input may be secret.
  const [draft, setDraft] = useState(first);
  const [answer, setAnswer] = useState<TargetAnswer>();
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  useFocusKept(place, '[data-add]');
  const starting = useTask(async (signal) => {
    setAnswer(undefined);
    setAnswer(await api.launch({ parts: { id: server.id }, body: bodyOf(draft), signal }));
  });
  const isChanged = JSON.stringify(bodyOf(draft)) !== JSON.stringify(bodyOf(first));
  return (
    <div ref={place} className={css.editor}>
      <ProgramAndFolder draft={draft} onChange={setDraft} />
      <section aria-labelledby={`${id}args`} className={css.group}>
        <h3 className={css.heading} id={`${id}args`}>
          Arguments
        </h3>
        <ul className={css.rows}>
          {draft.args.map((arg, at) => (
            <Argument key={arg.key} arg={arg} at={at} onChange={setDraft} />
          ))}
        </ul>
        <Button small data-add onPress={() => setDraft(withNewArgument)}>
          <PlusIcon size={12} /> Add an argument
        </Button>
      </section>
      <section aria-labelledby={`${id}env`} className={css.group}>
        <h3 className={css.heading} id={`${id}env`}>
          Environment
        </h3>
        <ul className={css.rows}>
          {draft.env.map((variable) => (
            <Variable key={variable.key} variable={variable} onChange={setDraft} />
          ))}
        </ul>
        <Button small onPress={() => setDraft(withNewVariable)}>
          <PlusIcon size={12} /> Add a variable
        </Button>
      </section>
      <div className={css.acts}>
        <Button
          look="primary"
          isDisabled={!isChanged || (!draft.command.keep && draft.command.text.trim() === '')}
          isBusy={starting.running}
          onPress={() => starting.run()}
        >
          Start it like this
        </Button>
        <span className={css.hint}>The terminal asks before the server is restarted.</span>
      </div>
      {answer !== undefined && <AddedAnswer answer={answer} />}
      {starting.problem !== undefined && <Problem problem={starting.problem} />}
    </div>
  );
}

/** An editor for how a process is started. */
export function LaunchEditor({ server }: { readonly server: ServerView }): ReactNode {
  const parts = server.launch?.parts;
  return parts === undefined ? null : (
    <details className={side.side}>
      <summary>How it is started</summary>
      <Editor key={JSON.stringify(parts)} server={server} parts={parts} />
    </details>
  );
}
