import type { ReactNode } from 'react';
import type { ServerView } from '../../../../src/api/views.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { inertText } from '../../parts/inert.ts';
import { hrefOf } from '../../route/use-route.ts';
import { useLists } from '../../store/lists.ts';
import { taskFacts } from './task-facts.ts';
import css from './result.module.css';

/** How a task stands, as far as the server lists its tasks. */
function useStatus(server: ServerView, id: string): Pick<ReturnType<typeof taskFacts>, 'status' | 'tone'> | undefined {
  const listed = useLists()
    .get(server.id)
    ?.byKind.get('tasks')
    ?.find((offer) => offer.id === id);
  return listed === undefined ? undefined : taskFacts(JSON.parse(listed.text) as Readonly<Record<string, unknown>>);
}

/** The answer to a call is a task: its result is still to come, and is asked for there. */
export function TaskNote({ id, server }: { readonly id: string; readonly server: ServerView }): ReactNode {
  const task = useStatus(server, id);
  return (
    <p className={css.note}>
      It is done as a task:{' '}
      <a href={hrefOf({ screen: 'explore', server: server.id, rest: ['tasks', id] })}>
        <Inert text={id} mono most={120} />
      </a>{' '}
      {task?.status !== undefined && <Badge tone={task.tone}>{inertText(task.status, 40)}</Badge>}
    </p>
  );
}
