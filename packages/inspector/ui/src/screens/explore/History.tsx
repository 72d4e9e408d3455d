import type { ReactNode } from 'react';
import { Badge } from '../../parts/Badge.tsx';
import { IconButton } from '../../parts/Button.tsx';
import { classes } from '../../parts/classes.ts';
import { Evidence } from '../../parts/Evidence.tsx';
import { EyeIcon, RefreshIcon } from '../../parts/icons.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { duration } from '../../parts/numbers.ts';
import { memberText } from '../../../../src/values/json-text.ts';
import { api } from '../../store/api.ts';
import { type CallState, TONES, WORDS } from './call-state.ts';
import { argumentsIn, type PastCall } from './calls.ts';
import css from './result.module.css';

/** The text in the list is cut, so the whole line is loaded. */
async function paramsOf(n: number): Promise<string | undefined> {
  const { lines } = await api.lines({ query: { n: [n] } });
  const text = lines[0]?.text;
  return text === undefined ? undefined : memberText(text, 'params');
}

/** The arguments of a call, as far as the beginning of its text shows them. */
function shownArguments({ method, text }: PastCall): string {
  return method.startsWith('tasks/') ? method : argumentsIn(text);
}

interface HistoryProps {
  readonly calls: readonly PastCall[];
  readonly stateOf: (call: PastCall) => CallState;
  /** The line of the request shown. */
  readonly shown: number | undefined;
  readonly onLook: (request: number) => void;
  readonly onReuse: (params: string) => void;
}

function Row({
  call,
  state,
  shown,
  onLook,
  onReuse,
}: Omit<HistoryProps, 'calls' | 'stateOf'> & { readonly call: PastCall; readonly state: CallState }): ReactNode {
  return (
    <tr className={classes(call.request === shown && css.now)}>
      <td>
        <Evidence lines={[call.request]} />
      </td>
      <td className={css.optional}>{duration(call.at)}</td>
      <td>
        <Badge tone={TONES[state]}>{WORDS[state]}</Badge>
      </td>
      <td className={css.optional}>{call.ms === undefined || state === 'asking' ? '' : duration(call.ms)}</td>
      <td className={css.cut}>
        <Inert text={shownArguments(call)} mono most={160} />
      </td>
      <td>
        <IconButton
          label={`Show the result of call #${call.request}`}
          small
          onPress={() => onLook(call.request)}
          isDisabled={call.request === shown}
        >
          <EyeIcon size={13} />
        </IconButton>
        <IconButton
          label={`Reuse the arguments of call #${call.request}`}
          small
          onPress={() =>
            void paramsOf(call.request).then((params) => {
              if (params !== undefined) onReuse(params);
            })
          }
        >
          <RefreshIcon size={13} />
        </IconButton>
      </td>
    </tr>
  );
}

/** The calls of this item in this trace, newest first. */
export function History({ calls, stateOf, ...rest }: HistoryProps): ReactNode {
  return calls.length === 0 ? (
    <p className={css.note}>Nothing has been sent yet.</p>
  ) : (
    <table className={css.history}>
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col" className={css.optional}>
            At
          </th>
          <th scope="col">Outcome</th>
          <th scope="col" className={css.optional}>
            Took
          </th>
          <th scope="col">Arguments</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {calls.map((call) => (
          <Row key={call.request} call={call} state={stateOf(call)} {...rest} />
        ))}
      </tbody>
    </table>
  );
}
