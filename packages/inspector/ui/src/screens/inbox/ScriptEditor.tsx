import { type ReactNode } from 'react';
import { Button } from '../../parts/Button.tsx';
import { JsonEditor } from '../../parts/JsonEditor.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { api } from '../../store/api.ts';
import { useFollowing, useKept } from '../../store/drafts.ts';
import { useScript, useView } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import css from './inbox.module.css';

const EXAMPLE = '{\n  "*": "decline"\n}';

/** The edited script: follows the current one until it is changed, and then stays, whatever changes elsewhere. */
function useText(used: string) {
  const began = useView()?.trace.began ?? '';
  const shown = used === '' ? EXAMPLE : used;
  const [text, setText] = useFollowing(`script ${began}`, shown);
  const [basis, setBasis] = useKept(`script basis ${began}`);
  const change = (next: string | undefined): void => {
    if (text === shown) setBasis(used);
    setText(next);
  };
  return { text, change, setBasis, overtaken: text !== shown && basis !== used };
}

/** The scripted answers, which are used before anyone sees the question. */
export function ScriptEditor(): ReactNode {
  const used = useScript();
  const { text, change, setBasis, overtaken } = useText(used);
  const using = useTask(async (signal, text: string) => {
    await api.script({ body: { text }, signal });
    setBasis(text);
  });
  const copying = useTask(() => navigator.clipboard.writeText(text));
  return (
    <section className={css.question} aria-label="Scripted answers">
      <header className={css.about}>
        <h2 className={css.who} tabIndex={-1}>
          Scripted answers
        </h2>
        <p className={css.dim}>
          A JSON object. Key: the name of a question, its exact message, its method (sampling/createMessage,
          roots/list), or * for any other form or page. Value: the content of the form, the result, or "accept",
          "decline", "cancel", "ignore". Other questions wait for you. A file for --answers has the same format.
        </p>
      </header>
      <div className={css.answering}>
        <div className={css.body} data-arguments>
          <div className={css.editor}>
            <JsonEditor label="Scripted answers" value={text} onChange={change} />
          </div>
          {overtaken && !using.running && (
            <p className={css.warning} role="status">
              The answers in use have changed since you began to edit. “Use these” replaces them.{' '}
              <Button small onPress={() => change(undefined)}>
                Show those in use
              </Button>
            </p>
          )}
          {using.problem !== undefined && <Problem problem={using.problem} />}
        </div>
        <footer className={css.acts}>
          <Button look="primary" isDisabled={text === used} isBusy={using.running} onPress={() => using.run(text)}>
            {text === used ? 'In use' : 'Use these'}
          </Button>
          <Button isDisabled={used === ''} isBusy={using.running} onPress={() => using.run('')}>
            Remove all
          </Button>
          <span className={css.gap} />
          <Button look="quiet" onPress={() => copying.run()}>
            Copy
          </Button>
        </footer>
      </div>
    </section>
  );
}
