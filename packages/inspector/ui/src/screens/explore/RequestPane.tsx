import { type ReactNode, useEffect } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import type { ServerView } from '../../../../src/api/views.ts';
import { memberText } from '../../../../src/values/json-text.ts';
import { Button, Keys, Toggle } from '../../parts/Button.tsx';
import { ChevronDown, PlayIcon, StopIcon } from '../../parts/icons.tsx';
import { keyName } from '../../parts/keys.ts';
import menu from '../../parts/menu.module.css';
import { SideTabs } from '../../parts/SideTabs.tsx';
import { currentRoute, hrefOf, setQuery, useRoute } from '../../route/use-route.ts';
import type { Offer } from '../../store/lists.ts';
import { ArgumentsForm } from './ArgumentsForm.tsx';
import { ArgumentsJson } from './ArgumentsJson.tsx';
import { sampleArguments, type SampleKind } from './first-arguments.ts';
import { FrameEditor } from './FrameEditor.tsx';
import { PlainArguments } from './PlainArguments.tsx';
import type { Draft } from './request-of.ts';
import { TaskActs } from './TaskActs.tsx';
import { TimeLimit } from './TimeLimit.tsx';
import type { Sending } from './use-send.ts';
import css from './request.module.css';

export interface RequestPaneProps {
  readonly offer: Offer;
  readonly server: ServerView;
  /** The arguments: text that may or may not be JSON. */
  readonly args: string;
  /** For a template: the URI. */
  readonly uri: string | undefined;
  /** The request to send. Undefined: the arguments are not JSON. */
  readonly draft: Draft | undefined;
  readonly sending: Sending;
  readonly onArgs: (text: string) => void;
  /** Replaces the arguments. Undefined: by the initial ones. */
  readonly onReplace: (text: string | undefined) => void;
  readonly onSend: () => void;
  /** Whether a tool is called as a task. Undefined: it cannot be. */
  readonly asTask: boolean | undefined;
  readonly onAsTask: (on: boolean) => void;
}

function Acts({ offer, server, draft, sending, onReplace, onSend, asTask, onAsTask }: RequestPaneProps): ReactNode {
  const running = sending.key !== undefined;
  const why =
    server.status === 'ready'
      ? draft === undefined
        ? 'The arguments are not JSON.'
        : undefined
      : server.status === 'login'
        ? 'The server requires a login.'
        : 'The server is not connected.';
  return (
    <div className={css.acts}>
      {running ? (
        <Button look="danger" onPress={sending.cancel}>
          <StopIcon size={12} /> Cancel
        </Button>
      ) : (
        <Button look="primary" onPress={onSend} isDisabled={why !== undefined} data-send>
          <PlayIcon size={12} /> Send <Keys keys={keyName('↵')} />
        </Button>
      )}
      <TimeLimit />
      {asTask !== undefined && (
        <Toggle isSelected={asTask} onChange={onAsTask}>
          As a task
        </Toggle>
      )}
      {offer.kind === 'tools' ? (
        <Samples tool={offer.text} onReplace={onReplace} />
      ) : (
        <Button look="quiet" onPress={() => onReplace(undefined)}>
          Reset
        </Button>
      )}
      {why !== undefined && <span className={css.why}>{why}</span>}
      {server.status === 'login' && <a href={hrefOf({ screen: 'auth', server: server.id })}>Log in</a>}
    </div>
  );
}

/** Incremented for each new sample. */
let seed = 0;

/** Fills in other valid arguments. */
function Samples({ tool, onReplace }: Pick<RequestPaneProps, 'onReplace'> & { readonly tool: string }): ReactNode {
  const fill = (kind: SampleKind): void => void sampleArguments(tool, kind).then(onReplace);
  return (
    <MenuTrigger>
      <Button look="quiet">
        Samples <ChevronDown size={12} />
      </Button>
      <Popover className={menu.popover!} offset={4}>
        <Menu className={menu.menu!} aria-label="Samples">
          <MenuItem className={menu.item!} onAction={() => onReplace(undefined)}>
            Only what is required
          </MenuItem>
          <MenuItem className={menu.item!} onAction={() => fill({ optional: true })}>
            Everything
          </MenuItem>
          <MenuItem className={menu.item!} onAction={() => fill({ optional: true, seed: (seed += 1) })}>
            Others
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function bodyOf(props: RequestPaneProps): ReactNode {
  const { offer } = props;
  if (offer.kind === 'resources') return <p className={css.note}>Reading a resource takes no arguments.</p>;
  if (offer.kind !== 'tools') return <PlainArguments {...props} />;
  return (
    <ArgumentsForm schema={memberText(offer.text, 'inputSchema') ?? '{}'} args={props.args} onArgs={props.onArgs} />
  );
}

/** The request: as a form, as JSON, or as a whole message. */
export function RequestPane(props: RequestPaneProps): ReactNode {
  const { offer, server, draft, args, onArgs } = props;
  const chosen = useRoute().query.get('as') ?? 'form';
  const withActs = (body: ReactNode): ReactNode => (
    <div className={css.stack}>
      <div className={css.body} data-arguments>
        {body}
      </div>
      <Acts {...props} />
    </div>
  );
  // Arguments that the form cannot represent are opened in the JSON editor, where they can be corrected.
  const tabs = [
    offer.kind === 'tasks'
      ? { id: 'form', title: 'Actions', body: <TaskActs {...props} /> }
      : { id: 'form', title: offer.kind === 'tools' ? 'Form' : 'Arguments', body: withActs(bodyOf(props)) },
    ...(offer.kind === 'tools'
      ? [
          {
            id: 'json',
            title: 'JSON',
            body: withActs(
              <ArgumentsJson schema={memberText(offer.text, 'inputSchema') ?? '{}'} args={args} onArgs={onArgs} />,
            ),
          },
        ]
      : []),
    { id: 'frame', title: 'Raw frame', body: <FrameEditor offer={offer} server={server} draft={draft} /> },
  ];
  useEffect(() => {
    if (tabs.some(({ id }) => id === chosen)) return;
    if (currentRoute().query.get('as') !== undefined) setQuery({ as: undefined }, true);
  });
  return (
    <section className={css.pane} aria-label="Request">
      <SideTabs
        label="Request editors"
        tabs={tabs}
        chosen={chosen}
        onChoose={(id) => setQuery({ as: id === 'form' ? undefined : id }, true)}
      />
    </section>
  );
}
