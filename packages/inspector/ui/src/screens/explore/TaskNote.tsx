import type { ReactNode } from 'react';
import type { ServerView } from '../../../../src/api/views.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Button } from '../../parts/Button.tsx';
import { StopIcon } from '../../parts/icons.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { inertText } from '../../parts/inert.ts';
import { duration } from '../../parts/numbers.ts';
import { Problem } from '../../parts/Problem.tsx';
import { hrefOf } from '../../route/use-route.ts';
import { sendRequest } from '../../store/requests.ts';
import { useTask } from '../../store/use-task.ts';
import { taskRequest } from './request-of.ts';
import { toneOfStatus } from './task-facts.ts';
import css from './result.module.css';

/** The task created for the call: its state while it runs, and a link to it. */
export function TaskNote({
  id,
  server,
  isOver,
}: {
  readonly id: string;
  readonly server: ServerView;
  readonly isOver: boolean;
}): ReactNode {
  const task = server.tasks?.find((one) => one.id === id);
  const cancelling = useTask(async () => {
    await sendRequest(server.id, { ...taskRequest('tasks/cancel', id), key: crypto.randomUUID() });
  });
  const link = (
    <a href={hrefOf({ screen: 'explore', server: server.id, rest: ['tasks', id] })}>
      <Inert text={id} mono most={120} />
    </a>
  );
  if (isOver) return <p className={css.note}>It ran as the task {link}.</p>;
  if (task === undefined) return <p className={css.note}>It runs as the task {link}, which is not followed here.</p>;
  const { status, message, pollMs, problem } = task;
  return (
    <>
      <div className={css.task} role="status">
        <p>
          <Badge tone={toneOfStatus(status)}>{inertText(status, 40)}</Badge>{' '}
          {message !== undefined && <Inert text={message} most={300} />}
        </p>
        <p className={css.dim}>
          Task {link}
          {problem === undefined && `, polled every ${duration(pollMs)}`}
        </p>
        <Button small isBusy={cancelling.running} onPress={() => cancelling.run()}>
          <StopIcon size={12} /> Cancel the task
        </Button>
      </div>
      {problem !== undefined && <Problem problem={problem} />}
      {cancelling.problem !== undefined && <Problem problem={cancelling.problem} />}
    </>
  );
}
