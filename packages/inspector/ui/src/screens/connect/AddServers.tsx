import { type ReactNode, useEffect, useRef, useState } from 'react';
import {
  Disclosure,
  DisclosurePanel,
  Heading,
  Button as AriaButton,
  Label,
  TextArea,
  TextField,
} from 'react-aria-components';
import type { TargetAnswer } from '../../../../src/api/views.ts';
import { Button, Keys } from '../../parts/Button.tsx';
import { useFocusKept } from '../../parts/focus.ts';
import { ChevronRight } from '../../parts/icons.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { isCommand, keyName } from '../../parts/keys.ts';
import { Problem } from '../../parts/Problem.tsx';
import { api } from '../../store/api.ts';
import { useAsked } from '../../store/model.ts';
import { useDraft } from '../../store/drafts.ts';
import { useTask } from '../../store/use-task.ts';
import css from './add.module.css';

/** The answer given in the terminal. */
function Asked({ decision }: { readonly decision: ReturnType<typeof useAsked> }): ReactNode {
  if (decision === 'yes') return 'Confirmed in the terminal:';
  if (decision === 'no') return 'Refused in the terminal, so nothing was started:';
  return (
    <>
      <strong>Confirm in the terminal.</strong> A page can’t start programs: the command that runs the inspector now
      shows what would be started, and waits for your confirmation.
    </>
  );
}

/** The outcome of adding servers, or of changing how they are started. */
export function AddedAnswer({ answer: { leftOut, ...answer } }: { readonly answer: TargetAnswer }): ReactNode {
  const decision = useAsked(answer.asked);
  return (
    <div className={css.answer} role="status">
      {answer.status === 'added' ? 'Added.' : <Asked decision={decision} />}{' '}
      {answer.servers.map((name) => (
        <span key={name} className={css.name}>
          <Inert text={name} most={80} />
        </span>
      ))}
      {leftOut.length > 0 && (
        <>
          <p>Left out:</p>
          <ul className={css.left}>
            {leftOut.map((what) => (
              <li key={what}>
                <Inert text={what} most={500} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** A text box for a command, a URL, or a configuration of another program. */
export function AddServers({ hasServers }: { readonly hasServers: boolean }): ReactNode {
  const [text, setText] = useDraft('add servers', '');
  const body = useRef<HTMLDivElement>(null);
  // Without a server, this is the only action on the screen.
  useEffect(() => {
    if (!hasServers) body.current?.querySelector('textarea')?.focus();
  }, [hasServers]);
  useFocusKept(body, 'textarea');
  const [answer, setAnswer] = useState<TargetAnswer>();
  const adding = useTask(async (signal) => {
    setAnswer(undefined);
    setAnswer(await api.targets({ body: { text }, signal }));
    setText(undefined);
  });
  const add = (): void => {
    if (text.trim() !== '' && !adding.running) adding.run();
  };
  return (
    <Disclosure className={css.add!} defaultExpanded={!hasServers || text !== ''}>
      <Heading level={2} className={css.heading!}>
        <AriaButton slot="trigger" className={css.trigger!}>
          <ChevronRight size={12} /> Add a server
        </AriaButton>
      </Heading>
      <DisclosurePanel className={css.panel!}>
        <div ref={body} className={css.body}>
          <TextField value={text} onChange={setText} className={css.field!}>
            <Label>A command, a URL, or JSON with mcpServers</Label>
            <TextArea
              className={css.area!}
              rows={3}
              spellCheck="false"
              placeholder={'node server.js --verbose\nhttps://example.com/mcp\n{ "mcpServers": { … } }'}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !isCommand(event)) return;
                event.preventDefault();
                add();
              }}
            />
          </TextField>
          <div className={css.acts}>
            <Button look="primary" onPress={add} isDisabled={text.trim() === ''} isBusy={adding.running}>
              Add <Keys keys={keyName('↵')} />
            </Button>
            <span className={css.hint}>Nothing is started before it is confirmed in the terminal.</span>
          </div>
          {answer !== undefined && <AddedAnswer answer={answer} />}
          {adding.problem !== undefined && <Problem problem={adding.problem} />}
        </div>
      </DisclosurePanel>
    </Disclosure>
  );
}
