import type { ReactNode } from 'react';
import type { ServerView } from '../../../../src/api/views.ts';
import { Button, Keys } from '../../parts/Button.tsx';
import { PlayIcon, StopIcon } from '../../parts/icons.tsx';
import { keyName } from '../../parts/keys.ts';
import type { Offer } from '../../store/lists.ts';
import { taskRequest, type TaskMethod } from './request-of.ts';
import { TimeLimit, useTimeLimit } from './TimeLimit.tsx';
import type { Sending } from './use-send.ts';
import css from './request.module.css';

interface TaskActsProps {
  readonly offer: Offer;
  readonly server: ServerView;
  readonly sending: Sending;
  readonly onSend: () => void;
}

interface Act {
  readonly name: string;
  readonly what: string;
  /** Only for 2025-11-25: tasks of 2026-07-28 have their result in their state. */
  readonly isLegacy?: true;
}

const ACTS: readonly Act[] = [
  { name: 'Get', what: 'gets the state of the task.' },
  { name: 'Result', what: 'gets its result, and waits for it.', isLegacy: true },
  { name: 'Cancel the task', what: 'asks the server to cancel it.' },
];

/** The requests about a task. Each is an ordinary request; several can run at the same time. */
export function TaskActs({ offer, server, sending, onSend }: TaskActsProps): ReactNode {
  const [timeLimit] = useTimeLimit();
  const unable = server.status !== 'ready';
  const isLegacy = server.era !== 'modern';
  const ask = (method: TaskMethod): void => sending.send(taskRequest(method, offer.id), timeLimit, true);
  return (
    <div className={css.stack}>
      <div className={css.body} data-arguments>
        <dl className={css.notes}>
          {ACTS.filter((act) => isLegacy || act.isLegacy === undefined).map(({ name, what }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </div>
      <div className={css.acts}>
        <Button look="primary" onPress={onSend} isDisabled={unable} data-send>
          <PlayIcon size={12} /> Get <Keys keys={keyName('↵')} />
        </Button>
        {isLegacy && (
          <Button onPress={() => ask('tasks/result')} isDisabled={unable}>
            Result
          </Button>
        )}
        <Button look="danger" onPress={() => ask('tasks/cancel')} isDisabled={unable}>
          Cancel the task
        </Button>
        {sending.key !== undefined && (
          <Button look="quiet" onPress={sending.cancel}>
            <StopIcon size={12} /> Stop waiting
          </Button>
        )}
        <TimeLimit />
        {unable && <span className={css.why}>The server is not connected.</span>}
      </div>
    </div>
  );
}
