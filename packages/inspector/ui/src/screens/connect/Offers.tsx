import { type ReactNode, useMemo } from 'react';
import { Button as AriaButton, Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import type { ListView, ServerView } from '../../../../src/api/views.ts';
import { IconButton } from '../../parts/Button.tsx';
import { ChevronRight, RefreshIcon } from '../../parts/icons.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { inertText } from '../../parts/inert.ts';
import { bytes, count, duration } from '../../parts/numbers.ts';
import { Problem } from '../../parts/Problem.tsx';
import { hrefOf } from '../../route/use-route.ts';
import { api } from '../../store/api.ts';
import { useTask } from '../../store/use-task.ts';
import css from './offers.module.css';

const WORDS: Readonly<Record<ListView['kind'], string>> = {
  tools: 'Tools',
  resources: 'Resources',
  templates: 'Templates',
  prompts: 'Prompts',
  tasks: 'Tasks',
};

function Lists({ server }: { readonly server: ServerView }): ReactNode {
  return (
    <table className={css.lists}>
      <thead>
        <tr>
          <th scope="col">List</th>
          <th scope="col">Entries</th>
          <th scope="col">Took</th>
          <th scope="col">Size</th>
          <th scope="col">~Tokens</th>
        </tr>
      </thead>
      <tbody>
        {server.lists.map((list) => (
          <tr key={list.kind}>
            <th scope="row">
              <a href={hrefOf({ screen: 'explore', server: server.id, rest: [list.kind] })}>{WORDS[list.kind]}</a>
            </th>
            {list.problem === undefined ? (
              <>
                <td>{count(list.count)}</td>
                <td>{duration(list.ms)}</td>
                <td>{bytes(list.bytes)}</td>
                <td>{count(list.tokens)}</td>
              </>
            ) : (
              <td colSpan={4} className={css.bad}>
                <Inert text={list.problem.message} most={300} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `tools: listChanged`: the name of a capability, and its enabled parts. */
function capabilityTexts(capabilities: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(capabilities).map(([name, value]) => {
    const parts =
      typeof value === 'object' && value !== null
        ? Object.entries(value)
            .filter(([, on]) => on !== false)
            .map(([part]) => part)
        : [];
    return inertText(parts.length === 0 ? name : `${name}: ${parts.join(', ')}`, 120);
  });
}

function Instructions({ text }: { readonly text: string }): ReactNode {
  return (
    <Disclosure className={css.instructions!}>
      <Heading level={4} className={css.more!}>
        <AriaButton slot="trigger" className={css.trigger!}>
          <ChevronRight size={12} /> Instructions for the model ({count(text.length)} characters)
        </AriaButton>
      </Heading>
      <DisclosurePanel>
        <div className={css.text}>
          <Inert text={text} block />
        </div>
      </DisclosurePanel>
    </Disclosure>
  );
}

/** The offers of the server, and their token cost. */
export function Offers({ server }: { readonly server: ServerView }): ReactNode {
  const capabilities = useMemo(() => capabilityTexts(server.capabilities ?? {}), [server.capabilities]);
  const refreshing = useTask(async (signal) => {
    await api.refresh({ parts: { id: server.id }, signal });
  });
  return (
    <section className={css.offers}>
      <h3 className={css.heading}>
        What it offers
        {server.status === 'ready' && (
          <IconButton label="Reload all lists" small onPress={() => refreshing.run()} isBusy={refreshing.running}>
            <RefreshIcon size={13} />
          </IconButton>
        )}
      </h3>
      {server.lists.length === 0 ? <p className={css.none}>Nothing has been read yet.</p> : <Lists server={server} />}
      {capabilities.length > 0 && (
        <ul className={css.capabilities} aria-label="Capabilities">
          {capabilities.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {server.instructions !== undefined && server.instructions !== '' && <Instructions text={server.instructions} />}
      {refreshing.problem !== undefined && <Problem problem={refreshing.problem} />}
    </section>
  );
}
