import { type ReactNode, useMemo, useState } from 'react';
import type { ServerView } from '../../../../src/api/views.ts';
import { memberText, prettyJson } from '../../../../src/values/json-text.ts';
import { useActions } from '../../app/palette-state.ts';
import { keyName } from '../../parts/keys.ts';
import { currentRoute, setQuery, useRoute } from '../../route/use-route.ts';
import type { Offer } from '../../store/lists.ts';
import { useDraft } from '../../store/drafts.ts';
import { useFirstArguments } from './first-arguments.ts';
import { ItemHead } from './ItemHead.tsx';
import { RequestPane, type RequestPaneProps } from './RequestPane.tsx';
import { type Draft, METHODS, requestOf } from './request-of.ts';
import { ResultPane } from './ResultPane.tsx';
import { createdTask, taskSupportOf } from './task-facts.ts';
import { offerKey } from './tree-rows.ts';
import { usePastCalls, useReadCall } from './use-calls.ts';
import { type Sending, useSend } from './use-send.ts';
import { useSendKey } from './use-send-key.ts';
import { useTemplateUri } from './template-uri.ts';
import { useTimeLimit } from './TimeLimit.tsx';
import css from './item.module.css';

/** The method, or the method prefix, of requests about an item. */
function methodsOf({ kind }: Offer): string {
  return kind === 'tasks' ? 'tasks/' : METHODS[kind];
}

interface ItemProps {
  readonly offer: Offer;
  readonly server: ServerView;
}

/** One tool, resource, template, prompt or task: its description, its request, and its result. */
export function ItemView(props: ItemProps): ReactNode {
  const first = useFirstArguments(props.offer);
  return first === undefined ? (
    <p className={css.loading} aria-busy="true">
      Loading …
    </p>
  ) : (
    <Item {...props} first={first} />
  );
}

interface ItemDraft extends Pick<RequestPaneProps, 'args' | 'uri' | 'draft' | 'asTask'> {
  /** Incremented when the arguments are replaced from elsewhere, which resets the form. */
  readonly edition: number;
  setArgs(text: string): void;
  replace(text: string | undefined): void;
  setAsTask(on: boolean): void;
}

/** The input for an item, and the request made from it. */
function useItemDraft({ offer, server }: ItemProps, first: string): ItemDraft {
  const key = offerKey(offer);
  const [args, setArgs] = useDraft(key, first);
  const [edition, setEdition] = useState(0);
  const uri = useTemplateUri(offer, args);
  const support = useMemo(() => taskSupportOf(offer.text, server), [offer.text, server]);
  const [task, setTask] = useDraft(`task ${key}`, support === 'required' ? 'yes' : 'no');
  const asTask = support !== undefined && task === 'yes';
  const draft = useMemo(() => requestOf(offer, args, uri, asTask), [offer, args, uri, asTask]);
  return {
    args,
    uri,
    draft,
    asTask: support === undefined ? undefined : asTask,
    edition,
    setArgs,
    replace(text) {
      setArgs(text);
      setEdition((before) => before + 1);
    },
    setAsTask: (on) => setTask(on ? 'yes' : 'no'),
  };
}

/** Sends the draft by its button, by its key, or from the palette. */
function useSendAct(offer: Offer, server: ServerView, draft: Draft | undefined, sending: Sending): () => void {
  const [timeLimit] = useTimeLimit();
  const { send: sendDraft } = sending;
  const send = useMemo(
    () => (): void => {
      if (draft === undefined || server.status !== 'ready') return;
      if (currentRoute().query.get('call') !== undefined) setQuery({ call: undefined }, true);
      sendDraft(draft, timeLimit, offer.kind === 'tasks');
    },
    [draft, server.status, sendDraft, timeLimit, offer.kind],
  );
  // The editor of raw frames has a button and a key of its own.
  useSendKey(useRoute().query.get('as') === 'frame' ? undefined : send);
  useActions(
    useMemo(
      () => [{ id: 'send', title: `Send ${METHODS[offer.kind]} ${offer.id}`, keys: keyName('↵'), run: send }],
      [offer, send],
    ),
  );
  return send;
}

function Item({ offer, server, first }: ItemProps & { readonly first: string }): ReactNode {
  const { args, uri, draft, asTask, edition, setArgs, replace, setAsTask } = useItemDraft({ offer, server }, first);
  const subject = uri ?? offer.id;
  const sending = useSend(
    server,
    (running) => running.subject === subject && running.method.startsWith(methodsOf(offer)),
  );
  const method = offer.kind === 'tasks' ? 'tasks/*' : METHODS[offer.kind];
  const callsOf = { server: server.name, method, subject };
  const calls = usePastCalls(callsOf, sending.key !== undefined);
  const wanted = Number(useRoute().query.get('call'));
  const shownCall = calls?.find(({ request }) => request === wanted) ?? calls?.[0];
  const { answer } = sending;
  // Only the trace has the outcome of a task created for a call.
  const asTaskCall =
    offer.kind === 'tools' && createdTask(answer?.result) !== undefined
      ? calls?.find(({ request }) => request === answer?.request)
      : undefined;
  const read = useReadCall(answer === undefined ? shownCall : asTaskCall);
  const send = useSendAct(offer, server, draft, sending);
  const reuse = (params: string): void => {
    const text = offer.kind === 'tools' || offer.kind === 'prompts' ? memberText(params, 'arguments') : undefined;
    if (text !== undefined) replace(prettyJson(text));
  };
  return (
    <>
      <ItemHead offer={offer} server={server} />
      <div className={css.panes}>
        <RequestPane
          key={edition}
          offer={offer}
          server={server}
          args={args}
          uri={uri}
          draft={draft}
          sending={sending}
          onArgs={setArgs}
          onReplace={replace}
          onSend={send}
          asTask={asTask}
          onAsTask={setAsTask}
        />
        <ResultPane
          offer={offer}
          server={server}
          sending={sending}
          callsOf={callsOf}
          calls={calls ?? []}
          isRead={calls !== undefined}
          shown={read?.answer ?? answer}
          params={answer === undefined ? read?.params : undefined}
          onLook={(request) => {
            sending.forget();
            setQuery({ call: String(request) }, true);
          }}
          onReuse={reuse}
          onSend={draft === undefined ? undefined : send}
        />
      </div>
    </>
  );
}
