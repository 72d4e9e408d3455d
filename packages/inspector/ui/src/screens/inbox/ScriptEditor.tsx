import { type ReactNode, useState } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import type { ScriptBody } from '../../../../src/api/views.ts';
import { Button } from '../../parts/Button.tsx';
import { JsonEditor } from '../../parts/JsonEditor.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { post } from '../../store/api.ts';
import { useScript } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import css from './inbox.module.css';

const EXAMPLE = '{\n  "*": "decline"\n}';

/** The answers that are given before anybody sees the question. */
export const ScriptEditor = (): ReactNode => {
  const used = useScript();
  const [text, setText] = useState(used === '' ? EXAMPLE : used);
  const using = useTask((signal, text: string) => {
    const body: ScriptBody = { text };
    return post<void>(ROUTES.script, body, { signal });
  });
  const copying = useTask(() => navigator.clipboard.writeText(text));
  return (
    <section className={css.question} aria-label="Scripted answers">
      <header className={css.about}>
        <h2 className={css.who}>Scripted answers</h2>
        <p className={css.dim}>
          By the name of a question, its exact message, its method (sampling/createMessage, roots/list), or * for any
          other form or page: the content of the form, the result, or "accept", "decline", "cancel", "ignore". What has
          no answer here waits for you. The file of --answers begins with the same.
        </p>
      </header>
      <div className={css.answering}>
        <div className={css.body} data-arguments>
          <div className={css.editor}>
            <JsonEditor label="Scripted answers" value={text} onChange={setText} />
          </div>
          {using.problem !== undefined && <Problem problem={using.problem} />}
        </div>
        <footer className={css.acts}>
          <Button look="primary" isDisabled={using.running || text === used} onPress={() => using.run(text)}>
            {text === used ? 'In use' : 'Use them'}
          </Button>
          <Button isDisabled={using.running || used === ''} onPress={() => using.run('')}>
            Use none
          </Button>
          <span className={css.gap} />
          <Button look="quiet" onPress={() => copying.run()}>
            Copy
          </Button>
        </footer>
      </div>
    </section>
  );
};
